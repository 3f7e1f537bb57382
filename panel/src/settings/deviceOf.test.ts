import { expect, test } from 'vitest'
import { deviceOf } from './deviceOf'

test('a user agent is named by its browser and system', () => {
  const chrome =
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36'
  const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1 Version/17.5 Safari/604.1'
  expect(deviceOf(chrome)).toBe('Chrome · Android')
  expect(deviceOf(safari)).toBe('Safari · iPhone')
  expect(deviceOf(`${chrome} Edg/130.0`)).toBe('Edge · Android')
  expect(deviceOf('curl/8.5.0')).toBe('curl/8.5.0')
  expect(deviceOf(null)).toBeNull()
})
