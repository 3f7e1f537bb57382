// Follows the changes of a store with graphql-sse while another client issues and pays a charge.
import { createClient } from "graphql-sse";
import { gateway, merchant } from "./shop.js";

const changes = `subscription { changes(of: [charge]) { type id action charge { status } } }`;

async function post<T>(path: string, credential: string | undefined, body: object): Promise<T> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (credential) headers["authorization"] = `Bearer ${credential}`;
  const response = await fetch(`${gateway}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { data: T }).data;
}

interface Result {
  changes: { type: string; id: string; action: string; charge: { status: string } };
}

const { accessToken } = await post<{ accessToken: string }>("/auth/register", undefined, merchant);
let connected = () => {};
const ready = new Promise<void>((resolve) => (connected = resolve));
const client = createClient({
  url: `${gateway}/graphql`,
  headers: { authorization: `Bearer ${accessToken}` },
  retryAttempts: 0,
  fetchFn: async (input: string | URL | Request, init?: RequestInit) => {
    const response = await fetch(input, init);
    connected();
    return response;
  },
});

const events = client.iterate<Result>({ query: changes });
const actions: string[] = [];
const statuses: string[] = [];
const first = events.next();
await ready;
const order = {
  amount: 10,
  description: "Pedido",
  customer_name: "João Pereira",
  customer_email: "joao@example.com",
  customer_cpf: "529.982.247-25",
};
const charge = await post<{ id: string }>("/pix", accessToken, order);
for (let next = await first; !next.done; next = await events.next()) {
  const change = next.value.data?.changes;
  if (change?.id !== charge.id) continue;
  actions.push(change.action);
  statuses.push(change.charge.status);
  if (actions.length === 1) await post("/pix/simulate-payment", accessToken, { id: charge.id });
  else break;
}

const query = client.iterate({ query: "{ me { environment } }" });
const environments: unknown[] = [];
for await (const result of query) environments.push(result.data);
client.dispose();

const stranger = createClient({ url: `${gateway}/graphql`, retryAttempts: 0 });
const refusals: unknown[] = [];
for await (const result of stranger.iterate({ query: changes })) {
  refusals.push(result.errors?.[0]?.extensions?.["status"]);
}

console.log(JSON.stringify({ actions, statuses, environments, refusals }));
