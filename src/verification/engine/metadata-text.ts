import { isRecord } from "../../core/record.ts";
import type { Settings } from "../inputs/compiler-input.ts";

/** The files that solc's metadata of a contract names: its own, and all that this one imports. Undefined without metadata. */
export function filesIn(metadata: string): ReadonlySet<string> | undefined {
  const sources = partOf(metadata, "sources");
  return sources && new Set(Object.keys(sources));
}

/** The settings as the compiler took them: old ones ignore what they do not know of those sent. None without metadata. */
export function settingsIn(metadata: string): Settings {
  return partOf(metadata, "settings") ?? {};
}

function partOf(metadata: string, key: string): Settings | undefined {
  const parsed: unknown = metadata === "" ? null : JSON.parse(metadata);
  const part = isRecord(parsed) ? parsed[key] : undefined;
  return isRecord(part) ? part : undefined;
}
