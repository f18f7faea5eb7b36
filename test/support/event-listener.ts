import { isDeepStrictEqual } from "node:util";

/** A Server-Sent Event. */
export interface StreamEvent {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect
  data: any;
}

/** A listener that reads on until what it has read holds a text. */
export async function listen(url: string, headers: Record<string, string> = {}) {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const until = async (wanted: string) => {
    while (!text.includes(wanted)) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`ended after: ${text}`);
      text += value;
    }
    return text;
  };
  return {
    response,
    until,
    /** The events that were read. */
    events: () => text.split("\n\n").slice(0, -1).flatMap(parseEvent),
    end: () => controller.abort(),
  };
}

function parseEvent(text: string): StreamEvent[] {
  const fields = new Map(
    text.split("\n").map((line) => line.split(/: ?(.*)/s) as [string, string]),
  );
  const [event, data] = [fields.get("event"), fields.get("data")];
  return event && data ? [{ event, id: fields.get("id"), data: JSON.parse(data) }] : [];
}

/** Returns the rows that a client holds after events, as docs/clients.md says. Throws where an event contradicts the ones before. */
export function holdingsAfter(events: readonly StreamEvent[]): StreamEvent["data"][] {
  let rows: StreamEvent["data"][] = [];
  for (const { event, data } of events) {
    if (event === "reset") rows = [];
    if (event === "rollback") rows = rows.filter(({ number }) => number <= data.number);
    if (event !== "activity" && event !== "more") continue;
    const last = rows.at(-1)?.number ?? 0;
    if (data.number < last) throw new Error(`block ${data.number} comes behind block ${last}`);
    if (rows.some((row) => isDeepStrictEqual(row, data)))
      throw new Error(`twice: ${JSON.stringify(data)}`);
    rows.push(data);
  }
  return rows;
}
