// Shared by all cycles: the merchant, the orders, and the summary that the tests compare.

export const gateway = process.argv[2] ?? "http://127.0.0.1:8000";
export const mode = process.argv[3] ?? "";

export const merchant = {
  name: "Ana Lojista",
  email: `ana.${crypto.randomUUID()}@example.com`,
  password: "uma senha bem comprida",
  cnpj: "11.222.333/0001-81",
  company: "Loja da Ana",
};

export const amounts = [10, 20.5, 129.9];
export const tooSmall = 1;

export interface Summary {
  /** The status of each charge after its payment. */
  statuses: string[];
  /** The amounts of the paid charges, page by page, newest first. */
  pages: number[][];
  codigo: string | undefined;
  message: string | undefined;
}

/** The methods of all requests, and the number of refused persisted queries. */
export const wire = { methods: new Set<string>(), persistedQueriesRefused: 0 };

export const recordingFetch: typeof fetch = async (input, init) => {
  wire.methods.add(init?.method ?? "GET");
  const response = await fetch(input, init);
  if ((await response.clone().text()).includes("PersistedQueryNotSupported")) {
    wire.persistedQueriesRefused += 1;
  }
  return response;
};

export function print(summary: Summary, more: object = {}): void {
  console.log(JSON.stringify({ ...summary, ...more }));
}

export function printWire(): { methods: string[]; fellBack: boolean } {
  return { methods: [...wire.methods].sort(), fellBack: wire.persistedQueriesRefused > 0 };
}
