/** Facts of solc's syntax trees beyond the compiled code. */
export interface Syntax {
  /** The requested variables by AST id. */
  variables: ReadonlyMap<string, Variable>;
  /** Number of members of the enums, by AST id. */
  enums: ReadonlyMap<string, number>;
  /** Underlying types of user-defined value types, by AST id. */
  valueTypes: ReadonlyMap<string, string>;
  /** True if only assignments can change kept internal functions, which storage, lists and assembly may. */
  keepsFunctions: boolean;
}

interface Variable {
  name: string;
  /** As written: `uint256`, `contract IERC20`. */
  type: string;
  /** In the compiler's form: `t_uint256`, `t_contract$_IERC20_$27`. */
  typeIdentifier: string;
}

type Node = Record<string, unknown>;

const INTERNAL_FUNCTION = "t_function_internal";
/** Also one without a variable: `[f, g][0]()`. */
const LIST_OF_FUNCTIONS = /^t_(?:array|mapping)\$.*t_function_internal/;
/** Before 0.5.0 assembly may jump, or reach return places by instructions without arguments, one on a line. */
const ASSEMBLY_JUMP = /\bjumpi?\b|^ *(?!break$|continue$)(?:\w+|=: .*)$/m;

/** Reads the needed facts from the trees of files, some at a time; `ids` are those of the wanted variables. */
export async function readSyntax(
  portions: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
  ids: ReadonlySet<string>,
): Promise<Syntax> {
  const variables = new Map<string, Variable>();
  const enums = new Map<string, number>();
  const valueTypes = new Map<string, string>();
  /** Variables that are internal functions, with their parameters and results. */
  const functions = new Map<unknown, string>();
  const touched = new Set<unknown>();
  const copies: unknown[][] = [];
  let keepsFunctions = false;
  for await (const trees of portions)
    for (const node of nodesOf(trees)) {
      keepsFunctions ||= LIST_OF_FUNCTIONS.test(typesOf(node).typeIdentifier);
      const id = String(node["id"]);
      switch (node["nodeType"]) {
        case "VariableDeclaration": {
          const { typeIdentifier, typeString } = typesOf(node);
          if (ids.has(id)) {
            variables.set(id, { name: String(node["name"]), type: typeString, typeIdentifier });
          }
          if (typeIdentifier.startsWith(INTERNAL_FUNCTION)) {
            functions.set(node["id"], formOf(typeIdentifier));
          }
          const isKept = node["stateVariable"] === true && node["mutability"] !== "immutable";
          keepsFunctions ||= typeIdentifier.startsWith(INTERNAL_FUNCTION) && isKept;
          break;
        }
        case "StructDefinition":
          keepsFunctions ||= listOf(node["members"]).some((member) =>
            typesOf(member).typeIdentifier.startsWith(INTERNAL_FUNCTION),
          );
          break;
        case "EnumDefinition":
          enums.set(id, listOf(node["members"]).length);
          break;
        case "UserDefinedValueTypeDefinition":
          valueTypes.set(id, typesOf(node["underlyingType"] as Node).typeIdentifier);
          break;
        case "InlineAssembly":
          keepsFunctions ||= ASSEMBLY_JUMP.test(String(node["operations"] ?? ""));
          if (isCopy(node)) copies.push(referencesOf(node));
          else for (const declaration of referencesOf(node)) touched.add(declaration);
          break;
        case undefined:
          keepsFunctions ||= mayKeepFunctions(node);
          break;
      }
    }
  // A function copied to one of the same form stays one of the source. One with more parameters or
  // results would return to a place of an attacker's choice.
  for (const declarations of copies) {
    const forms = new Set(declarations.map((declaration) => functions.get(declaration)));
    if (forms.size === 1 && !forms.has(undefined)) continue;
    for (const declaration of declarations) touched.add(declaration);
  }
  for (const declaration of touched) keepsFunctions ||= functions.has(declaration);
  return { variables, enums, valueTypes, keepsFunctions };
}

/** Returns whether assembly may keep functions. Up to 0.4.11 the trees have another form without its content: any of it counts. */
function mayKeepFunctions({ name, attributes }: Node): boolean {
  if (name === "InlineAssembly") return true;
  const type = String(((attributes ?? {}) as Node)["type"]);
  const isOfList = name === "IndexAccess" && type.startsWith("function");
  return isOfList || (name === "VariableDeclaration" && type.includes("function"));
}

function* nodesOf(trees: readonly unknown[]): Generator<Node> {
  const open = trees.filter((tree) => tree instanceof Object);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next as Node;
    for (const child of Object.values(next)) if (child instanceof Object) open.push(child);
  }
}

function typesOf(node: Node | undefined): { typeIdentifier: string; typeString: string } {
  const types = (node?.["typeDescriptions"] ?? {}) as Node;
  return {
    typeIdentifier: String(types["typeIdentifier"] ?? ""),
    typeString: String(types["typeString"] ?? ""),
  };
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value : [];
}

/** Returns whether a piece of assembly only copies one variable to another; known since 0.6.0. */
function isCopy({ AST: block }: Node): boolean {
  const [statement, further] = listOf((block as Node | undefined)?.["statements"]);
  const value = statement?.["value"] as Node | undefined;
  return (
    further === undefined &&
    statement?.["nodeType"] === "YulAssignment" &&
    value?.["nodeType"] === "YulIdentifier"
  );
}

/** Returns the form of an internal function, in which all types of one stack word are equal. */
function formOf(typeIdentifier: string): string {
  return typeIdentifier
    .replace(/^t_function_internal_[a-z]+/, "")
    .replaceAll(/t_(?:address(?:_payable)?|bool|u?int\d+|bytes\d+)(?=_\$)/g, "t_word");
}

/** Returns AST ids in a piece of assembly; up to 0.5 each is in an object under its name. */
function referencesOf(assembly: Node): unknown[] {
  return listOf(assembly["externalReferences"]).map((entry) => {
    const reference = "declaration" in entry ? entry : Object.values(entry)[0];
    return (reference as Node | undefined)?.["declaration"];
  });
}
