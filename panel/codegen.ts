import type { CodegenConfig } from '@graphql-codegen/cli'

// Documents stay strings, so the browser gets no GraphQL runtime.
const config: CodegenConfig = {
  schema: '../gateway/schema/schema.graphql',
  documents: ['src/**/*.{ts,tsx}', '!src/api/gql/**', '!src/api/graphql.ts'],
  generates: {
    'src/api/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        strictScalars: true,
        useTypeImports: true,
        scalars: { DateTime: 'string', Date: 'string', DiscountValue: 'number', JSON: 'unknown', Reais: 'number' },
      },
    },
  },
}

export default config
