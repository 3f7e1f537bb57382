/** How a server checks `webhook-signature`, as docs/webhooks.md says it. */
export const verification = {
  node: `import { createHmac, timingSafeEqual } from "node:crypto";

function same(received, expected) {
  const [a, b] = [Buffer.from(received ?? ""), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function isGenuine(secret, headers, body) {
  const timestamp = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= 300)) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const message = Buffer.concat([Buffer.from(\`\${headers["webhook-id"]}.\${timestamp}.\`), body]);
  const expected = "v1," + createHmac("sha256", key).update(message).digest("base64");
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => same(signature, expected));
}`,
  python: `from standardwebhooks import Webhook


def event_of(secret: str, body: bytes, headers: dict[str, str]) -> object:
    return Webhook(secret).verify(body, headers)`,
  php: `function is_genuine(string $secret, array $headers, string $body): bool
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $message = ($headers['webhook-id'] ?? '') . '.' . $timestamp . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $message, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}`,
} as const
