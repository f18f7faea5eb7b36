import { fileURLToPath } from "node:url";
import {
  isFunctionDeclaration,
  isNoSubstitutionTemplateLiteral,
  isTaggedTemplateExpression,
  type Node,
  type ParameterDeclaration,
  SyntaxKind,
  type TaggedTemplateExpression,
} from "typescript/unstable/ast";
import { API, type Checker, type Type, type TypeReference } from "typescript/unstable/sync";

/** A field of a row type. */
export interface Field {
  name: string;
  type: Type;
  nullable: boolean;
  optional: boolean;
}

/** A statement in the source, with the type that it says its rows have. */
export interface TypedStatement {
  where: string;
  /** The text between its parameters. */
  text: string;
  row: Type;
  fields: Field[];
}

/** An exported function that takes a client as its first parameter. */
interface StoreFunction {
  file: string;
  name: string;
  parameters: Type[];
}

export interface TypedSource {
  checker: Checker;
  statements: TypedStatement[];
  functions: StoreFunction[];
  close(): void;
}

const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

/** Reads what the compiler knows of the statements in a folder of the project. */
export function readTypedSource(folder: string): TypedSource {
  const api = new API({ cwd: PROJECT });
  const [project] = api.updateSnapshot({ openProjects: [`${PROJECT}tsconfig.json`] }).getProjects();
  if (!project) throw new Error("the compiler found no project");
  const { program, checker } = project;
  const statements: TypedStatement[] = [];
  const functions: StoreFunction[] = [];
  for (const file of program.getSourceFileNames()) {
    if (!file.startsWith(`${PROJECT}${folder}`)) continue;
    const source = program.getSourceFile(file);
    if (!source) continue;
    const visit = (node: Node): void => {
      if (isTaggedTemplateExpression(node) && node.typeArguments?.[0]) {
        const rows = checker.getTypeFromTypeNode(node.typeArguments[0]);
        const row = rows && checker.getTypeArguments(rows as TypeReference)[0];
        const line = source.text.slice(0, node.getStart()).split("\n").length;
        const where = `${file.slice(PROJECT.length)}:${line}`;
        if (!row) throw new Error(`${where}: the rows are no list`);
        statements.push({ where, text: textOf(node), row, fields: fieldsOf(checker, row) });
      }
      node.forEachChild(visit);
    };
    visit(source);
    for (const statement of source.statements) {
      if (!isFunctionDeclaration(statement) || !statement.name) continue;
      const isExported = statement.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword);
      const [client] = statement.parameters;
      if (!isExported || client?.name.getText() !== "sql") continue;
      const typeOf = (parameter: ParameterDeclaration) =>
        checker.getTypeAtLocation(parameter) as Type;
      functions.push({
        file,
        name: statement.name.text,
        parameters: statement.parameters.slice(1).map(typeOf),
      });
    }
  }
  return { checker, statements, functions, close: () => api.close() };
}

/** The pieces of a template in one text, as `textOfStrings` makes it of a running one. */
function textOf({ template }: TaggedTemplateExpression): string {
  if (isNoSubstitutionTemplateLiteral(template)) return textOfStrings([template.text]);
  return textOfStrings([
    template.head.text,
    ...template.templateSpans.map(({ literal }) => literal.text),
  ]);
}

/** The pieces of a template between its parameters in one text. */
export function textOfStrings(strings: readonly string[]): string {
  return strings.join("$");
}

function fieldsOf(checker: Checker, row: Type): Field[] {
  const members = row.isUnionType() ? row.getTypes() : [row];
  const fields = new Map<string, Field>();
  for (const member of members) {
    for (const property of checker.getPropertiesOfType(member)) {
      const type = checker.getTypeOfSymbol(property) as Type;
      const known = fields.get(property.name);
      fields.set(property.name, {
        name: property.name,
        type: known && isNever(checker, type) ? known.type : type,
        nullable:
          known?.nullable === true || checker.isTypeAssignableTo(checker.getNullType(), type),
        optional: checker.isTypeAssignableTo(checker.getUndefinedType(), type),
      });
    }
  }
  return [...fields.values()];
}

function isNever(checker: Checker, type: Type): boolean {
  return checker.isTypeAssignableTo(
    checker.getNonNullableType(type) as Type,
    checker.getNeverType(),
  );
}
