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
const [{ example: sampleToken }] = api.paths["/api/token/getToken"].get.parameters;

/** The path of an action begins with its dialect's; the other routes are shown with either. */
const ACTION = /^(\/api|\/v2\/api)\/\w+\/\w+$/;
// A link to an operation names its dialect, too.
if (location.hash.includes("/etherscan")) dialect.value = "/v2/api";

function show() {
  const paths = Object.entries(api.paths)
    .filter(([path]) => [undefined, dialect.value].includes(ACTION.exec(path)?.[1]))
    .map(([path, { get, ...others }]) => [path, get ? { get: localise(get) } : others]);
  // What is tried goes to this page's own server and chain, and needs no key.
  const servers = [{ url: new URL(".", location.href).href.replace(/\/$/, "") }];
  const { security: _security, components, ...rest } = api;
  const { securitySchemes: _schemes, ...schemas } = components;
  SwaggerUIBundle({
    spec: { ...rest, servers, components: schemas, paths: Object.fromEntries(paths) },
    domNode: document.getElementById("reference"),
    plugins: [findOperations],
    filter: true,
    deepLinking: true,
    docExpansion: "none",
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    // The examples that it would make of schemas are random text.
    defaultModelRendering: "model",
    // Both would ask servers elsewhere.
    validatorUrl: null,
    queryConfigEnabled: false,
  });
}

/** The filter looks for words in paths and summaries, and opens the modules that it finds something in. */
function findOperations() {
  return {
    fn: {
      opsFilter: (modules, phrase) => {
        const words = phrase.toLowerCase().split(/\s+/);
        const isMeant = (operation) => {
          const text = [operation.get("path"), operation.getIn(["operation", "summary"])].join(" ");
          return words.every((word) => text.toLowerCase().includes(word));
        };
        return modules
          .map((module) => module.update("operations", (all) => all.filter(isMeant)))
          .filter((module) => module.get("operations").size > 0);
      },
    },
    statePlugins: {
      layout: {
        wrapActions: {
          updateFilter:
            (update, { layoutActions }) =>
            (phrase) => {
              for (const { name } of api.tags) {
                layoutActions.show(["operations-tag", name], phrase !== "");
              }
              return update(phrase);
            },
        },
      },
    },
  };
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
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const example = parameter.example && (ours[parameter.name] ?? parameter.example);
    return example ? { ...parameter, example } : parameter;
  });
  return { ...operation, parameters };
}

dialect.addEventListener("change", show);
show();
