import { createRequire, registerHooks } from "node:module";
import type driver from "postgres";
import { type Edit, REPAIRS } from "./repairs.ts";
import { SPEED } from "./speed.ts";

// postgres.js 3.4.9, patched at load: its internal state is not exported. A version without the
// patched text is refused at start (test/db/driver.test.ts).

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const edits = [...REPAIRS, ...SPEED]
      .filter(({ file }) => url.endsWith(`/postgres/cjs/src/${file}`))
      .flatMap((repair) => repair.edits);
    return edits.length === 0
      ? loaded
      : { ...loaded, source: edits.reduce(apply, String(loaded.source)) };
  },
});

function apply(source: string, [found, repaired]: Edit): string {
  if (source.split(found).length !== 2) {
    throw new Error("this is not the version of postgres.js that src/db/driver/ edits");
  }
  return source.replace(found, () => repaired);
}

/** postgres.js, patched; not awaited, for the reason in src/core/deep-imports.ts. */
export const postgres: typeof driver = createRequire(import.meta.url)("postgres");

/** Sends a COPY … FROM STDIN with its document; the next statement may be sent before it ends. */
export async function sendCopy(query: object, document: Buffer): Promise<void> {
  Object.assign((query as { options: object }).options, { simple: true, prepare: false, document });
  await query;
}

/** Disables pipelining after a statement: on a busy connection a fast query would wait for a slow one, while others are free. */
export function keepConnection<Query extends object>(query: Query): Query {
  Object.assign((query as Query & { options: object }).options, { onexecute: () => false });
  return query;
}
