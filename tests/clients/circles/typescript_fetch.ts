import { AccountsApi, ApiKeysApi, ChargesApi, Configuration, ResponseError } from "../generated/typescript-fetch/index.js";
import { amounts, gateway, merchant, print, tooSmall } from "./shop.js";

function connect(credential = "") {
  return new Configuration({ basePath: gateway, accessToken: credential });
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

const session = await new AccountsApi(connect()).register({ register: merchant });
const keys = new ApiKeysApi(connect(session.data.accessToken));
const created = await keys.createApiKey({ createApiKey: { name: "loja", environment: "test" } });
const charges = new ChargesApi(connect(created.data.key));

const statuses: string[] = [];
for (const amount of amounts) {
  const issued = await charges.issueCharge({ issueChargeRequest: order(amount) });
  const paid = await charges.simulatePayment({ simulatePaymentRequest: { id: issued.data.id } });
  statuses.push(paid.data.status);
}

const pages: number[][] = [];
for (let page = 1, more = true; more; page += 1) {
  const list = await charges.listCharges({ page, limit: 2, status: "paid" });
  pages.push(list.data.map((charge) => charge.amount));
  more = list.pagination?.hasMore ?? false;
}

const refusal = await charges.issueCharge({ issueChargeRequest: order(tooSmall) }).then(
  () => undefined,
  async (error: unknown) => {
    if (!(error instanceof ResponseError)) throw error;
    return ((await error.response.json()) as { error: { message: string; codigo?: string } }).error;
  },
);

print({ statuses, pages, message: refusal?.message, codigo: refusal?.codigo });
