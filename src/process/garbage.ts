import { Session } from "node:inspector/promises";

/** Collects this thread's garbage: V8 does so by itself only in a thread that allocates. */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.collectGarbage");
  session.disconnect();
}
