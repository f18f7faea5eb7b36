import { Session } from "node:inspector/promises";

/**
 * Collects all garbage of this thread and gives its memory back, as a developer's tools ask for it. By itself V8 does so only
 * in a thread that allocates on.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.collectGarbage");
  session.disconnect();
}
