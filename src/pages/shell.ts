import { RequestError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";

/** Pages load from and send to this server only, and no site frames them. */
export const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Subject of a page, and the text of its link preview. */
export interface ShellContent {
  /** Name of the module that renders it. */
  page: string;
  /** Hash, address, number or text of its subject, if it has one. */
  subject?: string | undefined;
  title: string;
  description: string;
}

/** Common data of all pages of a chain. */
export interface ShellChain {
  /** The chain's name, for people. */
  name: string;
  chainId: number | null;
  coinSymbol: string;
  /** True if the server reads the coin's price. */
  hasPrice: boolean;
  hasLabels: boolean;
  /** Ids and names of all served chains, when there are several; their pages are siblings of this chain's. */
  chains: readonly (readonly string[])[];
}

/** Files and answers that come with a document. */
interface ShellFiles {
  /** Folder of the files of the pages, relative to the base. */
  folder: string;
  /** Answers to the page's first requests, as JSON text. */
  answers: string;
  /** Absolute URL of the picture in link previews; empty if the request's host is invalid. */
  picture: string;
}

const LONGEST_TITLE = 120;
const LONGEST_DESCRIPTION = 300;
/** Most folders between a page and its root: the page and its headers repeat the relative path. */
const DEEPEST = 100;

/** Renders a page's document: head, preview without scripts, empty body. `base` leads to the chain's root. */
export function renderShell(
  base: string,
  { page, subject, title, description }: ShellContent,
  { name, chainId, coinSymbol, hasPrice, hasLabels, chains }: ShellChain,
  files: ShellFiles,
): string {
  const heading = `${shorten(title, LONGEST_TITLE)} · ${shorten(name, LONGEST_TITLE)}`;
  const about = shorten(description, LONGEST_DESCRIPTION);
  const folder = base + files.folder;
  const data = {
    base,
    page,
    subject: subject ?? "",
    network: name,
    chain: chainId === null ? "" : String(chainId),
    coin: coinSymbol,
    price: String(hasPrice),
    chains: JSON.stringify(chains),
    labels: hasLabels ? "1" : "",
  };
  const attributes = Object.entries(data).map(([key, value]) => ` data-${key}="${escaped(value)}"`);
  return `<!doctype html>
<html lang="en"${attributes.join("")}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(heading)}</title>
<meta name="description" content="${escaped(about)}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Periscope">
<meta property="og:title" content="${escaped(heading)}">
<meta property="og:description" content="${escaped(about)}">
<meta property="og:image" content="${escaped(files.picture)}">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="${escaped(folder)}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${escaped(folder)}/pages.css">
<script type="module" src="${escaped(`${folder}/${page}.js`)}"></script>
<script type="application/json" id="answers">${files.answers.replaceAll("<", "\\u003c")}</script>
</head>
<body>
<noscript><main><h1>${escaped(shorten(title, LONGEST_TITLE))}</h1><p>${escaped(about)}</p><p>The rest of this page needs JavaScript. The API answers the same without: <a href="${escaped(base)}openapi.json">its document</a>.</p></main></noscript>
<div id="app"></div>
</body>
</html>
`;
}

/**
 * Renders the document for a browser above its rate limit; it reloads itself. `theme` is the path of its style sheet.
 */
export function renderLimit(theme: string, seconds: number): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${seconds}">
<title>Too many requests</title>
<link rel="stylesheet" href="${escaped(theme)}">
</head>
<body>
<main><h1>Too many requests</h1><p>This server answers a limited number of requests a minute. The page loads again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.</p></main>
</body>
</html>
`;
}

/** Returns external text as one line, cut to a length in characters. */
function shorten(text: string, longest: number): string {
  const line = printable(text.slice(0, longest * 4))
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : line;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Returns the relative path to the chain's root, below any folders. Throws `RequestError` for too many parts. */
export function baseOf(url: string, parts: number): string {
  const [pathname = ""] = url.split(/[?#]/, 1);
  let at = pathname.length;
  for (let part = 0; part < parts; part++) {
    while (pathname[at - 1] === "/") at--;
    at = pathname.lastIndexOf("/", at - 1) + 1;
  }
  const behind = pathname.slice(at).split("/").length - 1;
  if (behind > DEEPEST) throw new RequestError(404, "unknown-path", "Not found");
  return behind === 0 ? "./" : "../".repeat(behind);
}
