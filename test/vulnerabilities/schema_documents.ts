/** Random documents that a JSON schema accepts. */
import type { JsonValue } from "@bufbuild/protobuf";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";

type Schema = { [keyword: string]: unknown };
type Values = fc.Arbitrary<JsonValue>;

/** Values for a part of a schema, by its `$ref` or by the name of a property. */
export type Pools = Record<string, Values>;

/** The depth from which objects have no optional members. */
const maxDepth = 9;

const formats: Record<string, Values> = {
  uri: fc.webUrl(),
  "date-time": fc
    .date({ min: new Date(0), max: new Date("2030-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
};

const texts = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 20 }) },
  // The platform accepts no NUL in any text.
  fc
    .string({ unit: "binary", maxLength: 10 })
    .map((text) => text.toWellFormed().replaceAll("\0", "")),
);

/** Optional members that most objects have, because documents without them say nothing. */
const common = ["affected", "package", "products", "vulnerabilities", "product_status", "cve"];

/** Documents of a schema. Those that the schema refuses, because of rules between members, are left out. */
export function documentsOf(schema: Schema, pools: Pools): Values {
  const isValid = compile(schema);
  const whole = new Generator(schema, pools).of(schema, 0);
  return whole.filter((document) => isValid(document) === true);
}

function compile(schema: Schema): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  // Other schemas check the scores of CSAF, and the pools have valid ones.
  for (const version of ["2.0", "3.0", "3.1"]) {
    const properties = { version: { const: version } };
    ajv.addSchema({ properties }, `https://www.first.org/cvss/cvss-v${version}.json`);
  }
  return ajv.compile(schema);
}

class Generator {
  readonly #root: Schema;
  readonly #pools: Pools;
  /** The values of each part of the schema, by their depth. Patterns take long to prepare. */
  readonly #known = new Map<string, Values>();

  constructor(root: Schema, pools: Pools) {
    this.#root = root;
    this.#pools = pools;
  }

  of(schema: Schema, depth: number): Values {
    const key = `${Math.min(depth, maxDepth)} ${JSON.stringify(schema)}`;
    const known = this.#known.get(key) ?? this.#make(schema, depth);
    this.#known.set(key, known);
    return known;
  }

  #make(schema: Schema, depth: number): Values {
    const { $ref, enum: words } = schema;
    if (typeof $ref === "string") return this.#pools[$ref] ?? this.of(this.#resolve($ref), depth);
    if ("const" in schema) return fc.constant(schema.const as JsonValue);
    if (Array.isArray(words)) return fc.constantFrom(...(words as JsonValue[]));
    const choices = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
    if (choices && schema.type !== "object" && !schema.properties)
      return fc.oneof(
        ...choices.map((one) => this.of({ ...schema, oneOf: undefined, ...one }, depth)),
      );
    const [type] = [schema.type ?? (schema.properties ? "object" : undefined)].flat();
    if (type === "object") return this.#object(schema, depth);
    if (type === "array") return this.#array(schema, depth);
    if (type === "integer") return fc.integer({ min: Number(schema.minimum ?? 0), max: 1000 });
    if (type === "number") return fc.double({ min: 0, max: 10, noNaN: true });
    if (type === "boolean") return fc.boolean();
    return this.#text(schema);
  }

  #resolve($ref: string): Schema {
    const steps = $ref.replace(/^#\//, "").split("/");
    return steps.reduce<Schema>((at, step) => at[step] as Schema, this.#root);
  }

  #text({ pattern, format, minLength = 0 }: Schema): Values {
    if (typeof pattern === "string")
      return fc.stringMatching(new RegExp(pattern)).map((one) => one.slice(0, 200));
    const known = typeof format === "string" ? formats[format] : undefined;
    return known ?? texts.filter((text) => text.length >= Number(minLength));
  }

  #array({ items = {}, minItems = 0, uniqueItems }: Schema, depth: number): Values {
    const minLength = Number(minItems);
    const bounds = {
      minLength,
      maxLength: Math.max(minLength, depth > 6 ? 1 : 3),
      size: "max" as const,
    };
    const item = this.of(items as Schema, depth + 1);
    return uniqueItems
      ? fc.uniqueArray(item, { ...bounds, selector: (one) => JSON.stringify(one) })
      : fc.array(item, bounds);
  }

  /** Objects with some of their optional members. Deep ones have only those that they need. */
  #object(schema: Schema, depth: number): Values {
    const { minProperties = 0, maxProperties = 1000 } = schema;
    const choices = (schema.anyOf ?? schema.oneOf ?? [{}]) as Schema[];
    return fc.oneof(
      ...choices.map((choice) => {
        const members = { ...(schema.properties ?? {}), ...(choice.properties ?? {}) };
        const names = [schema.required ?? [], choice.required ?? []].flat() as string[];
        const optional = Object.keys(members).filter((name) => !names.includes(name));
        const fewest = Math.max(0, Number(minProperties) - names.length);
        const most = depth < maxDepth ? Number(maxProperties) - names.length : fewest;
        const some = fc.subarray(optional, {
          minLength: Math.min(fewest, optional.length),
          maxLength: Math.min(most, optional.length),
        });
        const usual = optional.filter((name) => common.includes(name) && depth < maxDepth);
        return fc
          .tuple(some, fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, fc.constant([])))
          .chain(([one, other]) => {
            const chosen = new Set([...names, ...one, ...other]);
            return this.#record(members, [...chosen], depth);
          });
      }),
    );
  }

  #record(members: Record<string, Schema>, names: string[], depth: number): Values {
    const values = names.flatMap((name) => {
      const member = members[name];
      return member ? [[name, this.#pools[name] ?? this.of(member, depth + 1)]] : [];
    });
    return fc.record(Object.fromEntries(values), { noNullPrototype: true }) as Values;
  }
}
