"""A page by the keyboard alone."""

from typing import Any

from playwright.async_api import Page

ROUNDS = 3
"""One is enough where no field has several stops, as a date has, and the page starts at its top."""
_WATCH = """() => {
  const stops = 'a[href], button, input, select, textarea, summary, [tabindex]'
  // Arrow keys move inside a group of radio buttons, and Tab enters it once.
  const entered = ({ type, name, checked }, first) =>
    type !== 'radio' || checked || (first && !document.querySelector(`input[name="${name}"]:checked`))
  const isFirst = (element) => element === document.querySelector(`input[name="${element.name}"]`)
  const wanted = [...document.querySelectorAll(stops)].filter(
    (element) =>
      element.tabIndex >= 0 &&
      !element.disabled &&
      element.checkVisibility({ visibilityProperty: true }) &&
      entered(element, isFirst(element)),
  )
  const ringed = (element) =>
    [element, element.parentElement].some((each) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(each)
      return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
    })
  // Browsers do not scroll to what is partly visible already.
  const covered = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    const [width, height] = [document.documentElement.clientWidth, innerHeight]
    const x = (Math.max(left, 0) + Math.min(right, width)) / 2
    const y = (Math.max(top, 0) + Math.min(bottom, height)) / 2
    const found = document.elementFromPoint(x, y)
    return found === null || !(element.contains(found) || found.contains(element))
  }
  const reached = new Set()
  const unseen = []
  const html = (element) => element.outerHTML.slice(0, 160)
  document.addEventListener('focusin', ({ target }) => {
    reached.add(target)
    if (!ringed(target)) unseen.push(`no ring: ${html(target)}`)
    requestAnimationFrame(() => {
      if (document.activeElement === target && covered(target)) unseen.push(`covered: ${html(target)}`)
    })
  })
  window.keyboard = () => ({
    missed: wanted.filter((element) => element.isConnected && !reached.has(element)).map(html),
    unseen,
  })
  return wanted.length
}"""


async def assert_keyboard(page: Page) -> None:
    """Tab reaches all that can be clicked, and what has the focus is visible, with a ring (WCAG 2.4.7, 2.4.11)."""
    count = await page.evaluate(_WATCH)
    found: dict[str, Any] = {}
    for _ in range(ROUNDS):
        for _ in range(count):
            await page.keyboard.press("Tab")
        found = await page.evaluate("keyboard()")
        if not found["missed"]:
            break
    assert found == {"missed": [], "unseen": []}, found
