import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The gateway serves the bundle below /painel/assets; page.html names its files from the manifest.
const GATEWAY = process.env.GATEWAY_URL ?? 'http://127.0.0.1:8000'

export default defineConfig(({ command }) => ({
  base: command === 'build' ? '/painel/assets/' : '/painel/',
  plugins: [react()],
  build: {
    target: 'es2022',
    outDir: process.env.PANEL_OUT ?? '../gateway/panel/assets',
    assetsDir: '',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    // A page's modules name each other, so only its styles are listed in the first chunk.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, names) => names.filter((name) => name.endsWith('.css')),
    },
    license: { fileName: 'licences.txt' },
    rolldownOptions: {
      input: 'src/main.tsx',
      output: {
        codeSplitting: { groups: [{ name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// }] },
      },
    },
  },
  server: { proxy: { '/graphql': GATEWAY, '/pay': GATEWAY, '/exports': GATEWAY, '/dev': GATEWAY, '/docs': GATEWAY } },
}))
