// A merchant's server that verifies its webhooks with the npm package standardwebhooks. One line of JSON for each.
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const secret = process.argv[2] ?? "";

function verified(body: Buffer | string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const headers = request.headers as Record<string, string>;
  const tampered = body.toString().replace('"amount":10', '"amount":1000');
  const old = { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 3600) };
  const event = JSON.parse(body.toString()) as { event: string; data: { id: string } };
  console.log(
    JSON.stringify({
      event: event.event,
      id: event.data.id,
      genuine: verified(body, headers),
      changed: tampered !== body.toString(),
      tampered: verified(tampered, headers),
      old: verified(body, old),
    }),
  );
  response.writeHead(204).end();
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === "object" ? address?.port : null }));
});
