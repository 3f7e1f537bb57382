// The audits of GraphQL over HTTP by the npm package graphql-http, one line of JSON for each.
import { auditServer } from "graphql-http";
import { gateway } from "./shop.js";

for (const result of await auditServer({ url: `${gateway}/graphql` })) {
  const reason = result.status === "ok" ? undefined : result.reason;
  console.log(JSON.stringify({ id: result.id, name: result.name, status: result.status, reason }));
}
