// The page at /docs: Swagger UI over /openapi.json, one dialect at a time.

const dark = matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", applyTheme);
applyTheme();

const dialect = document.getElementById("dialect");
const [api, network] = await Promise.all(
  ["openapi.json", "pages/network.json"].map(async (path) => (await fetch(path)).json()),
);
const { transaction, account, token } = network.subjects ?? {};
const [{ example: sampleToken }] = api.paths["/api?module=token&action=getToken"].get.parameters;

function show() {
  const others = [...dialect.options].map(({ value }) => value).filter((v) => v !== dialect.value);
  const paths = Object.entries(api.paths)
    .filter(([path]) => !others.some((other) => path.startsWith(`${other}?`)))
    .map(([path, { get, ...rest }]) => [path, get ? { get: localise(get) } : rest]);
  SwaggerUIBundle({
    spec: { ...api, paths: Object.fromEntries(paths) },
    domNode: document.getElementById("reference"),
    deepLinking: true,
    docExpansion: "list",
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    // Both would ask servers elsewhere.
    validatorUrl: null,
    queryConfigEnabled: false,
  });
}

/** The operation with examples of this chain; the sample chain has what the document's own name. */
function localise(operation) {
  if (token === sampleToken) return operation;
  const ours = {
    txhash: transaction,
    address: operation.tags.includes("contract") ? token : account,
    contractaddress: token,
    contractaddresses: token,
  };
  const parameters = operation.parameters.map((parameter) => {
    const example = parameter.example && (ours[parameter.name] ?? parameter.example);
    return example ? { ...parameter, example } : parameter;
  });
  return { ...operation, parameters };
}

dialect.addEventListener("change", show);
show();
