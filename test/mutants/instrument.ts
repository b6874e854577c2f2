/**
 * Puts all mutants of a source file into it, each behind a switch: `a < b` becomes
 * `(isMutant(1) ? a <= b : isMutant(2) ? a >= b : a < b)`. One bundle then has all mutants.
 */
import { type Node, parseSync, visitorKeys } from "oxc-parser";
import { changesOf } from "./operators.ts";

/** A change of one place. */
export type Mutant = {
  /** The place in the list of all mutants. */
  id: number;
  file: string;
  /** Counted from 1. */
  line: number;
  /** The line itself. */
  code: string;
  /** The code of the place before and after. */
  change: string;
};

/** Whether the node is part of an error that is thrown, and whether a switch around it would change the code. */
type Surroundings = { isError: boolean; isFixed?: boolean };

/** The values of a condition in its mutants. No mutant makes a loop endless. */
const conditions: Record<string, string[]> = {
  ...{ IfStatement: ["true", "false"], ConditionalExpression: ["true", "false"] },
  ...{ WhileStatement: ["false"], DoWhileStatement: ["false"], ForStatement: ["false"] },
};

const functions = ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"];
const typed = ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"];

/** Nodes without code of their own. */
const isLeftOut = (node: Node) =>
  (node.type.startsWith("TS") && !typed.includes(node.type)) ||
  ["ImportDeclaration", "ImportExpression", "ExportAllDeclaration"].includes(node.type) ||
  (node.type === "ExportNamedDeclaration" && node.source !== null) ||
  (node.type === "ExpressionStatement" &&
    "directive" in node &&
    typeof node.directive === "string");

/**
 * Returns the source with switches, and its mutants. They are numbered from `firstId` on. `switchPath` is where the
 * source imports switch.ts from. Types and messages of errors that are plain text have no mutants.
 */
export function instrument(
  file: string,
  source: string,
  { firstId, switchPath }: { firstId: number; switchPath: string },
): { code: string; mutants: Mutant[] } {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const writer = new Writer(file, source, firstId);
  const code = writer.write(program, { isError: false });
  const line = `import { drizzle, isMutant } from "${switchPath}"; void drizzle; `;
  return { code: line + code, mutants: writer.mutants };
}

class Writer {
  readonly mutants: Mutant[] = [];
  readonly #file: string;
  readonly #source: string;
  readonly #firstId: number;
  readonly #errors: Set<string>;

  constructor(file: string, source: string, firstId: number) {
    this.#file = file;
    this.#source = source;
    this.#firstId = firstId;
    const imports = source.matchAll(/import \{([^}]*)\} from "[^"]*aip\/errors\.ts"/g);
    this.#errors = new Set([...imports].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []));
  }

  readonly #text = ({ start, end }: Node) => this.#source.slice(start, end);

  /** Adds a mutant, and returns the condition under which it runs. */
  #add(node: Node, other: string): string {
    const id = this.#firstId + this.mutants.length;
    const before = this.#source.slice(0, node.start);
    const line = before.split("\n").length;
    const code = (this.#source.split("\n")[line - 1] ?? "").trim();
    const change = describe(this.#text(node), other);
    this.mutants.push({ id, file: this.#file, line, code, change });
    return `isMutant(${id})`;
  }

  /** The text of a node with the switches of all mutants in it. */
  write(node: Node, { isError, isFixed = false }: Surroundings): string {
    if (isLeftOut(node)) return this.#text(node);
    const inError = isError || this.#isError(node);
    const place = { node, text: this.#text, isError: inError };
    const switches = isFixed
      ? []
      : changesOf(place).map((other) => `${this.#add(node, other)} ? ${other} : `);
    const text = this.#writeChildren(node, { isError: inError, isFixed });
    if (switches.length > 0) return `(${switches.join("")}${text})`;
    return node.type === "ExpressionStatement" ? this.#removable(node, text) : text;
  }

  #isError(node: Node): boolean {
    if (node.type === "ThrowStatement") return true;
    if (node.type !== "CallExpression" && node.type !== "NewExpression") return false;
    const name = this.#text(node.callee);
    return this.#errors.has(name) || name.endsWith("Error");
  }

  #writeChildren(node: Node, surroundings: Surroundings): string {
    let written = "";
    let end = node.start;
    for (const [key, child] of childrenOf(node)) {
      written +=
        this.#source.slice(end, child.start) + this.#writeChild(node, key, child, surroundings);
      end = child.end;
    }
    return written + this.#source.slice(end, node.end);
  }

  #writeChild(node: Node, key: string, child: Node, { isError, isFixed }: Surroundings): string {
    const text = this.write(child, { isError, isFixed: isFixedChild(node, key, isFixed === true) });
    if (key === "test") {
      const values = conditions[node.type] ?? [];
      const switches = values.map((value) => `${this.#add(child, value)} ? ${value} : `);
      return switches.length > 0 ? `(${switches.join("")}${text})` : text;
    }
    const isValue =
      (key === "argument" && node.type === "ReturnStatement") ||
      (key === "body" &&
        node.type === "ArrowFunctionExpression" &&
        child.type !== "BlockStatement");
    if (isValue && child.type !== "Literal" && this.#text(child) !== "undefined")
      return `(${this.#add(child, "undefined")} ? undefined : ${text})`;
    if (key === "body" && functions.includes(node.type) && child.type === "BlockStatement")
      return this.#emptiable(child, text);
    return text;
  }

  /** The body of a function that a mutant leaves at once. A single statement has a mutant of its own. */
  #emptiable(body: Node & { type: "BlockStatement" }, text: string): string {
    const [first, ...rest] = body.body;
    const isSingle = first?.type === "ReturnStatement" || first?.type === "ExpressionStatement";
    if (!first || (isSingle && rest.length === 0)) return text;
    return `{ if (${this.#add(body, "{}")}) return; ${text.slice(1)}`;
  }

  /** A statement that a mutant leaves out. */
  #removable(node: Node & { type: "ExpressionStatement" }, text: string): string {
    if (this.#text(node).startsWith("super(")) return text;
    return `{ if (!${this.#add(node, "")}) ${text} }`;
  }
}

/** The nodes below a node in the order of the source. Names of members and properties have no mutants. */
function childrenOf(node: Node): [string, Node][] {
  const isComputed = "computed" in node && node.computed;
  return (visitorKeys[node.type] ?? [])
    .filter((key) => isComputed || (key !== "key" && !(key === "property" && "object" in node)))
    .flatMap((key) => {
      const child = (node as unknown as Record<string, Node | (Node | null)[] | null>)[key];
      const all = Array.isArray(child) ? child : [child];
      return all.filter((one) => one != null).map((one): [string, Node] => [key, one]);
    })
    .sort(([, one], [, other]) => one.start - other.start);
}

/** True if a switch around the child would change what is around it: in a chain, and in a tagged template. */
function isFixedChild(node: Node, key: string, isFixed: boolean): boolean {
  if (node.type === "ChainExpression" || key === "quasi") return true;
  const isSpine = key === "object" || key === "callee" || key === "expression";
  return isFixed && isSpine && node.type !== "ParenthesizedExpression";
}

/** The part of a text that changes, with a few characters around it. */
function describe(before: string, after: string): string {
  const [one, other] = [before, after].map((text) => text.replace(/\s+/g, " ")) as [string, string];
  if (one.length < 80) return `${one} → ${other || "nothing"}`;
  if (other.length < 20) return `${one.slice(0, 50)}… → ${other || "nothing"}`;
  let start = 0;
  while (one[start] === other[start]) start += 1;
  let end = 1;
  while (one.at(-end) === other.at(-end)) end += 1;
  const from = Math.max(0, start - 30);
  return `…${one.slice(from, one.length - end + 21)}… → …${other.slice(from, other.length - end + 21)}…`;
}
