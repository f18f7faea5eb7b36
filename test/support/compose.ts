import { parseEnv } from "node:util";
import { parse } from "yaml";

/** A service as Docker Compose would run it. */
export interface ComposeService {
  environment: Record<string, string>;
  ports: string[];
  [key: string]: unknown;
}

type Values = Readonly<Record<string, string | undefined>>;

/**
 * The services of a compose file in the form of `docker compose config`, with these contents of the
 * file `.env` and this environment: anchors merged, variables filled in after parsing the YAML,
 * values of env_file below those of `environment`. Source: the Compose specification,
 * "Interpolation" and "env_file".
 */
export function readComposition(
  text: string,
  dotEnv = "",
  environment: Values = {},
): Record<string, ComposeService> {
  const file = parseEnv(dotEnv);
  const values: Values = { ...file, ...environment };
  const { services } = interpolateAll(parse(text, { merge: true }), values) as {
    services: Record<string, ComposeService & { env_file?: { path: string }[] }>;
  };
  for (const service of Object.values(services)) {
    const own = Object.entries(service.environment ?? {}).map(([name, value]) => [
      name,
      String(value),
    ]);
    const reads = service.env_file?.some(({ path }) => path === ".env") ?? false;
    service.environment = { ...(reads ? file : {}), ...Object.fromEntries(own) };
    service.ports ??= [];
  }
  return services;
}

function interpolateAll(value: unknown, values: Values): unknown {
  if (typeof value === "string") return interpolate(value, values);
  if (Array.isArray(value)) return value.map((item) => interpolateAll(item, values));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, interpolateAll(inner, values)]);
  return Object.fromEntries(entries);
}

const VARIABLE = /\$(?:(\$)|([a-z_]\w*)|\{([a-z_]\w*)(?:(:?[-+?])([^}]*))?\})/gi;

/** Text with its variables filled in; defaults hold no further ones. */
function interpolate(text: string, values: Values): string {
  return text.replaceAll(VARIABLE, (_all, dollar, plain, braced, operator = "", word = "") => {
    if (dollar) return "$";
    const value = values[plain ?? braced];
    const isGiven = operator.startsWith(":") ? Boolean(value) : value !== undefined;
    if (operator.endsWith("+")) return isGiven ? word : "";
    if (operator !== "" && !isGiven) {
      if (operator.endsWith("?")) throw new Error(`required variable ${braced}: ${word}`);
      return word;
    }
    return value ?? "";
  });
}
