/** The languages of the examples, by the name in the address. */
export const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'node', label: 'Node' },
  { value: 'python', label: 'Python' },
  { value: 'php', label: 'PHP' },
] as const

export type Language = (typeof LANGUAGES)[number]['value']

export const languageOf = (text: string | undefined): Language =>
  LANGUAGES.find(({ value }) => value === text)?.value ?? 'curl'

export type SampleRequest = {
  address: string
  path: string
  key: string
  /** So that a request that is sent again doesn't create a second charge. */
  idempotencyKey?: string
  body: Readonly<Record<string, string | number>>
}

export const CHARGE_BODY = {
  amount: 49.9,
  description: 'Pedido 1042',
  customer_name: 'João Pereira',
  customer_email: 'joao@example.com',
  customer_cpf: '529.982.247-25',
  external_reference: '1042',
} as const

/** A program that sends one POST, without packages of others. */
export function sampleOf(language: Language, request: SampleRequest): string {
  return WRITERS[language](request)
}

const WRITERS: Record<Language, (request: SampleRequest) => string> = {
  curl: (request) => {
    const headers = headersOf(request).map(([name, value]) => `  -H '${name}: ${value}' \\`)
    return [`curl -sS ${urlOf(request)} \\`, ...headers, `  -d '${indent(json(request), '  ')}'`].join('\n')
  },
  node: (request) => `const response = await fetch("${urlOf(request)}", {
  method: "POST",
  headers: {
${entries(request, '    ')}
  },
  body: JSON.stringify(${indent(json(request), '  ')}),
});
console.log(await response.json());`,
  python: (request) => `import json
import urllib.request

request = urllib.request.Request(
    "${urlOf(request)}",
    json.dumps(${indent(json(request), '    ')}).encode(),
    {
${entries(request, '        ')}
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`,
  php: (request) => `<?php
$curl = curl_init('${urlOf(request)}');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
${headersOf(request)
  .map(([name, value]) => `        '${name}: ${value}',`)
  .join('\n')}
    ],
    CURLOPT_POSTFIELDS => <<<'JSON'
${json(request)}
JSON,
]);
print_r(json_decode(curl_exec($curl), true));`,
}

const urlOf = ({ address, path }: SampleRequest): string => `${address}${path}`

const json = ({ body }: SampleRequest): string => JSON.stringify(body, null, 2)

const indent = (text: string, margin: string): string => text.replaceAll('\n', `\n${margin}`)

function headersOf({ key, idempotencyKey }: SampleRequest): [string, string][] {
  const headers: [string, string][] = [
    ['Authorization', `Bearer ${key}`],
    ['Content-Type', 'application/json'],
  ]
  return idempotencyKey ? [...headers, ['Idempotency-Key', idempotencyKey]] : headers
}

const entries = (request: SampleRequest, margin: string): string =>
  headersOf(request)
    .map(([name, value]) => `${margin}"${name}": "${value}",`)
    .join('\n')
