/** Converts addresses by `file:Library`, as in metadata, into addresses by file, as in standard JSON. */
export function librariesByFile(libraries: Readonly<Record<string, string>>) {
  const files = new Map<string, Record<string, string>>();
  for (const [qualified, address] of Object.entries(libraries)) {
    const colon = qualified.lastIndexOf(":");
    const path = qualified.slice(0, Math.max(0, colon));
    files.set(path, { ...files.get(path), [qualified.slice(colon + 1)]: address });
  }
  return Object.fromEntries(files);
}
