/** The options of a menu, of a record of labels. */
export function optionsOf(labels: Readonly<Record<string, string | undefined>>): { value: string; label: string }[] {
  return Object.entries(labels).flatMap(([value, label]) => (label === undefined ? [] : [{ value, label }]))
}
