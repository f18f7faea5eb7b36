/** A brace outside of strings, a string that is a key, or any other string. */
const TOKEN = /[{}]|("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"/g;

/** Yields the keys that an object of a valid JSON text repeats, with their lines, from 1: `JSON.parse` keeps the last value only. */
export function* repeatedKeys(json: string): Generator<{ key: string; line: number }> {
  const around: Set<string>[] = [];
  for (const { 0: token, 1: quoted, index } of json.matchAll(TOKEN)) {
    if (token === "{") around.push(new Set());
    else if (token === "}") around.pop();
    else if (quoted !== undefined) {
      const key = String(JSON.parse(quoted));
      const keys = around.at(-1);
      if (keys?.has(key)) yield { key, line: json.slice(0, index).split("\n").length };
      keys?.add(key);
    }
  }
}
