import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi.js";
import { amounts, gateway, merchant, print, tooSmall } from "./shop.js";

function connect(credential?: string) {
  return createClient<paths>({
    baseUrl: gateway,
    headers: credential ? { Authorization: `Bearer ${credential}` } : {},
  });
}

function order(amount: number) {
  return {
    amount,
    description: "Pedido 1042",
    customer_name: "João Pereira",
    customer_email: "joao@example.com",
    customer_cpf: "529.982.247-25",
  };
}

const session = await connect().POST("/auth/register", { body: merchant });
const panel = connect(session.data?.data.accessToken);
const created = await panel.POST("/api-keys", { body: { name: "loja", environment: "test" } });
const client = connect(created.data?.data.key);

const statuses: string[] = [];
for (const amount of amounts) {
  const issued = await client.POST("/pix", { body: order(amount) });
  const paid = await client.POST("/pix/simulate-payment", { body: { id: issued.data?.data.id ?? "" } });
  statuses.push(paid.data?.data.status ?? "");
}

const pages: number[][] = [];
for (let page = 1, more = true; more; page += 1) {
  const { data, error } = await client.GET("/pix", { params: { query: { page, limit: 2, status: "paid" } } });
  if (!data) throw new Error(JSON.stringify(error));
  pages.push(data.data.map((charge) => charge.amount));
  more = data.pagination?.has_more ?? false;
}

const { error } = await client.POST("/pix", { body: order(tooSmall) });
const refusal = typeof error?.error === "object" ? error.error : undefined;

print({ statuses, pages, message: refusal?.message, codigo: refusal?.codigo });
