import { createHash } from "node:crypto";
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache, gql } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { relayStylePagination } from "@apollo/client/utilities";
import { filter, firstValueFrom } from "rxjs";
import {
  ChargesDocument,
  CreateApiKeyDocument,
  IssueChargeDocument,
  RegisterDocument,
  SimulatePaymentDocument,
} from "../generated/graphql/graphql.js";
import { amounts, gateway, merchant, mode, print, printWire, recordingFetch, tooSmall } from "./shop.js";

// `persisted` sends a query's hash first, `persisted-get` by GET.
const persisted = new PersistedQueryLink({
  sha256: (text) => createHash("sha256").update(text).digest("hex"),
  useGETForHashedQueries: mode === "persisted-get",
});

function connect(credential?: string) {
  const http = new HttpLink({
    uri: `${gateway}/graphql`,
    headers: credential ? { authorization: `Bearer ${credential}` } : {},
    fetch: recordingFetch,
  });
  return new ApolloClient({
    link: mode.startsWith("persisted") ? ApolloLink.from([persisted, http]) : http,
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { charges: relayStylePagination(["filter", "order"]) } } },
    }),
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

function errorOf(error: unknown) {
  if (!CombinedGraphQLErrors.is(error)) throw error;
  const [first] = error.errors;
  return { message: first?.message, codigo: first?.extensions?.["codigo"] as string | undefined };
}

const session = await connect().mutate({ mutation: RegisterDocument, variables: { input: merchant } });
const panel = connect(session.data?.register?.accessToken);
const created = await panel.mutate({
  mutation: CreateApiKeyDocument,
  variables: { input: { name: "loja", environment: "test" } },
});
const client = connect(created.data?.createApiKey?.key);

const statuses: string[] = [];
for (const amount of amounts) {
  const issued = await client.mutate({ mutation: IssueChargeDocument, variables: { input: order(amount) } });
  const id = issued.data?.issueCharge?.id ?? "";
  const paid = await client.mutate({ mutation: SimulatePaymentDocument, variables: { id } });
  statuses.push(paid.data?.simulatePayment?.status ?? "");
}

const pages: number[][] = [];
const list = client.watchQuery({ query: ChargesDocument, variables: { first: 2 } });
let page = (await firstValueFrom(list.pipe(filter((result) => result.dataState === "complete")))).data?.charges;
while (page) {
  pages.push(page.edges.map((edge) => edge.node.amount));
  if (!page.pageInfo.hasNextPage) break;
  page = (await list.fetchMore({ variables: { after: page.pageInfo.endCursor } })).data?.charges;
}

const refusal = await client
  .mutate({ mutation: IssueChargeDocument, variables: { input: order(tooSmall) } })
  .then(() => ({ message: undefined, codigo: undefined }), errorOf);
// A document that doesn't fit the schema is a 400, whose text Apollo shows by its media type alone.
const misfit = await client
  .query({ query: gql`query Misfit { charges { edges { node { total } } } }` })
  .then(() => undefined, (error: unknown) => errorOf(error).message);

print({ statuses, pages, ...refusal }, { misfit, ...printWire() });
