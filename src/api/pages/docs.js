// The page at /docs: Swagger UI over /openapi.json.

const dark = matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", applyTheme);
applyTheme();

SwaggerUIBundle({
  url: "openapi.json",
  domNode: document.getElementById("reference"),
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  // Both would ask servers elsewhere.
  validatorUrl: null,
  queryConfigEnabled: false,
});
