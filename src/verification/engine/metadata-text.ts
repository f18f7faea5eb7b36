import { isAddress } from "../../core/evm/address.ts";
import { hexToBytes } from "../../core/evm/hex.ts";
import { isRecord } from "../../core/json/record.ts";
import type { Settings } from "../compilers/input.ts";

/** Returns the files in solc's metadata of a contract: its own, and all its imports. Undefined without metadata. */
export function filesIn(metadata: string): ReadonlySet<string> | undefined {
  const sources = readPart(metadata, "sources");
  return sources && new Set(Object.keys(sources));
}

/** Returns the settings in the metadata: old compilers ignore unknown ones. None without metadata. */
export function settingsIn(metadata: string): Settings {
  return readPart(metadata, "settings") ?? {};
}

function readPart(metadata: string, key: string): Settings | undefined {
  const parsed: unknown = metadata === "" ? null : JSON.parse(metadata);
  const part = isRecord(parsed) ? parsed[key] : undefined;
  return isRecord(part) ? part : undefined;
}

/** Returns library addresses of the settings, by `path:Name` or, up to 0.7.4, `Name`, where metadata has none; the last counts. */
export function givenAddresses({ libraries }: Settings, taken: Settings): Settings {
  const linked = taken["libraries"];
  if (isRecord(linked) && Object.keys(linked).length > 0) return linked;
  const files = Object.entries(isRecord(libraries) ? libraries : {});
  return Object.fromEntries(
    files.flatMap(([file, names]) =>
      Object.entries(isRecord(names) ? names : {}).flatMap(([name, address]) => [
        [name, address],
        [`${file}:${name}`, address],
      ]),
    ),
  );
}

/** Returns the same addresses, each once. */
export function linkedAddresses(settings: Settings, metadata: string): Buffer[] {
  const given = Object.values(givenAddresses(settings, settingsIn(metadata)));
  return [...new Set(given)].filter(isAddress).map(hexToBytes);
}
