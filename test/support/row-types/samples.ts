import type {
  Checker,
  Type,
  TypeReference,
  UnionOrIntersectionType,
} from "typescript/unstable/sync";

// PostgreSQL is never sent a sample: it describes statements without their parameters.
const HEX = `0x${"00".repeat(20)}`;
/** A number, and JSON in the form that the store reads from a column of text. */
const TEXTS = ["1", '{"libraries":[]}'] as const;
/** With three topics a search for logs has indexes to choose from. */
const LENGTHS = [1, 3] as const;

/**
 * A value of a type. Another `variant` chooses other members of its unions and leaves optional fields out, so that a
 * few variants take most of the ways through a function.
 */
export function sampleOf(checker: Checker, type: Type, variant: number): unknown {
  if (type.isUnionType()) {
    const members = type.getTypes();
    return sampleOf(checker, members[variant % members.length] as Type, variant);
  }
  if (type.isLiteralType()) return type.value;
  const is = (target: Type) => checker.isTypeAssignableTo(type, target);
  if (is(checker.getUndefinedType())) return undefined;
  if (is(checker.getNullType())) return null;
  if (type.isTemplateLiteralType()) return HEX;
  if (is(checker.getStringType())) return TEXTS[variant % TEXTS.length];
  if (is(checker.getNumberType())) return 1;
  if (is(checker.getBigIntType())) return 1n;
  if (is(checker.getBooleanType())) return variant % 2 === 0;
  return sampleObject(checker, type, variant);
}

function sampleObject(checker: Checker, type: Type, variant: number): unknown {
  const inner = (): unknown[] =>
    checker
      .getTypeArguments(type as TypeReference)
      .map((argument) => sampleOf(checker, argument, variant));
  if (checker.isArrayType(type)) return Array(LENGTHS[variant % LENGTHS.length]).fill(inner()[0]);
  if (checker.isTupleType(type)) return inner();
  const name = type.getSymbol()?.name ?? "";
  if (/^(Readonly)?Set$/.test(name)) return new Set(inner().slice(0, 1));
  if (/^(Readonly)?Map$/.test(name)) return new Map([inner().slice(0, 2) as [unknown, unknown]]);
  return Object.fromEntries(
    checker
      .getPropertiesOfType(type as UnionOrIntersectionType)
      .map((property) => [
        property.name,
        sampleOf(checker, checker.getTypeOfSymbol(property) as Type, variant),
      ]),
  );
}
