import { Client, cacheExchange, fetchExchange, gql } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import {
  ChargesDocument,
  CreateApiKeyDocument,
  IssueChargeDocument,
  RegisterDocument,
  SimulatePaymentDocument,
} from "../generated/graphql/graphql.js";
import { amounts, gateway, merchant, mode, print, printWire, recordingFetch, tooSmall } from "./shop.js";

function connect(credential?: string) {
  return new Client({
    url: `${gateway}/graphql`,
    exchanges:
      mode === "persisted"
        ? [cacheExchange, persistedExchange({ enableForMutation: true }), fetchExchange]
        : [cacheExchange, fetchExchange],
    fetchOptions: { headers: credential ? { authorization: `Bearer ${credential}` } : {} },
    fetch: recordingFetch,
  });
}

function order(amount: number) {
  return {
    amount,
    description: "Pedido 1042",
    customerName: "João Pereira",
    customerEmail: "joao@example.com",
    customerCpf: "529.982.247-25",
  };
}

const session = await connect().mutation(RegisterDocument, { input: merchant });
if (session.error) throw session.error;
const panel = connect(session.data?.register?.accessToken);
const created = await panel.mutation(CreateApiKeyDocument, { input: { name: "loja", environment: "test" } });
const client = connect(created.data?.createApiKey?.key);

const statuses: string[] = [];
for (const amount of amounts) {
  const issued = await client.mutation(IssueChargeDocument, { input: order(amount) });
  const id = issued.data?.issueCharge?.id ?? "";
  const paid = await client.mutation(SimulatePaymentDocument, { id });
  statuses.push(paid.data?.simulatePayment?.status ?? "");
}

const pages: number[][] = [];
let after: string | null = null;
do {
  const { data, error }: Awaited<ReturnType<typeof read>> = await read(after);
  if (!data?.charges) throw error ?? new Error("no data");
  pages.push(data.charges.edges.map((edge) => edge.node.amount));
  after = data.charges.pageInfo.hasNextPage ? (data.charges.pageInfo.endCursor ?? null) : null;
} while (after);

function read(cursor: string | null) {
  return client.query(ChargesDocument, { first: 2, after: cursor }).toPromise();
}

const refused = (await client.mutation(IssueChargeDocument, { input: order(tooSmall) })).error?.graphQLErrors[0];
const misfit = await client.query(gql`query Misfit { charges { edges { node { total } } } }`, {});

print(
  {
    statuses,
    pages,
    message: refused?.message,
    codigo: refused?.extensions["codigo"] as string | undefined,
  },
  { misfit: misfit.error?.graphQLErrors[0]?.message, ...printWire() },
);
