const SECRET = "apikey";
const LOGGED_CHARACTERS = 2000;

/** A URL as it may be logged: the value of `apikey` replaced, whatever the letter case or encoding of the name. */
export function redactUrl(url: string): string {
  const start = url.indexOf("?");
  if (start < 0) return url.slice(0, LOGGED_CHARACTERS);
  const parts = url
    .slice(start + 1)
    .split("&")
    .map(redactPart);
  return `${url.slice(0, start)}?${parts.join("&")}`.slice(0, LOGGED_CHARACTERS);
}

function redactPart(part: string): string {
  const [name = ""] = part.split("=", 1);
  return isSecret(name) ? `${SECRET}=[redacted]` : part;
}

function isSecret(name: string): boolean {
  try {
    return decodeURIComponent(name.replaceAll("+", " ")).trim().toLowerCase() === SECRET;
  } catch {
    return name.toLowerCase().includes(SECRET);
  }
}
