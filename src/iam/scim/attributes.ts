/** The attributes of a user (RFC 7643 sections 4.1 and 4.3) and the paths that name them. */
import documents from "../../../schema/gen/scim_schemas.json" with { type: "json" };

/** The definition of an attribute (RFC 7643 section 7). */
export interface Attribute {
  name: string;
  type:
    | "string"
    | "boolean"
    | "decimal"
    | "integer"
    | "dateTime"
    | "binary"
    | "reference"
    | "complex";
  multiValued: boolean;
  caseExact?: boolean;
  mutability: "readOnly" | "readWrite" | "immutable" | "writeOnly";
  returned: "always" | "never" | "default" | "request";
  canonicalValues?: string[];
  subAttributes?: Attribute[];
}

/** A schema in the form that the client reads (RFC 7643 section 7). */
export interface SchemaDocument {
  schemas: string[];
  id: string;
  name: string;
  description: string;
  attributes: Attribute[];
}

/** Attributes that are not stored: no one logs in with a password here, and there are no groups. */
const unsupportedAttributes = ["password", "groups"];

function supportedSchema(document: SchemaDocument): SchemaDocument {
  const attributes = document.attributes.filter(
    ({ name }) => !unsupportedAttributes.includes(name),
  );
  return { ...document, attributes };
}

// The inferred type of the JSON has strings where the standard has a choice of words.
const [fullUserSchema, fullExtensionSchema] = documents as unknown as [
  SchemaDocument,
  SchemaDocument,
];
const user = supportedSchema(fullUserSchema);
const enterpriseUser = supportedSchema(fullExtensionSchema);

/** The schemas of a user and of its extension, as /Schemas returns them. */
export const schemaDocuments = [user, enterpriseUser] as const;

export const userSchema = user.id;
export const enterpriseSchema = enterpriseUser.id;

const simpleAttribute = (name: string, rest: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  multiValued: false,
  caseExact: true,
  mutability: "readOnly",
  returned: "default",
  ...rest,
});

/** Attributes of every resource (RFC 7643 section 3.1). */
const commonAttributes: Attribute[] = [
  simpleAttribute("schemas", { multiValued: true, returned: "always" }),
  simpleAttribute("id", { returned: "always" }),
  simpleAttribute("externalId", { mutability: "readWrite" }),
  simpleAttribute("meta", {
    type: "complex",
    subAttributes: [
      simpleAttribute("resourceType"),
      simpleAttribute("created", { type: "dateTime" }),
      simpleAttribute("lastModified", { type: "dateTime" }),
      simpleAttribute("location"),
      simpleAttribute("version"),
    ],
  }),
];

/** The extension as one complex attribute. Its name is its URN, as in a user. */
const extension = simpleAttribute(enterpriseSchema, {
  type: "complex",
  mutability: "readWrite",
  subAttributes: enterpriseUser.attributes,
});

/** All attributes of a user. */
export const userAttributes: Attribute[] = [...commonAttributes, ...user.attributes, extension];

const byName = new WeakMap<readonly Attribute[], Map<string, Attribute>>();

/** Finds an attribute by its name, ignoring case (RFC 7643 section 2.1). */
export function attributeNamed(
  attributes: readonly Attribute[],
  name: string,
): Attribute | undefined {
  const known =
    byName.get(attributes) ?? new Map(attributes.map((one) => [one.name.toLowerCase(), one]));
  byName.set(attributes, known);
  return known.get(name.toLowerCase());
}

/**
 * The attributes along a path, such as `name.familyName` or `urn:…:User:manager.displayName`. Undefined if
 * one of the names is unknown.
 */
export function resolvePath(
  path: string,
  attributes: readonly Attribute[] = userAttributes,
): Attribute[] | undefined {
  const lower = path.toLowerCase();
  if (lower === enterpriseSchema.toLowerCase()) return [extension];
  if (lower.startsWith(`${enterpriseSchema.toLowerCase()}:`)) {
    const inner = resolveSteps(
      path.slice(enterpriseSchema.length + 1),
      extension.subAttributes ?? [],
    );
    return inner && [extension, ...inner];
  }
  const isCore = lower.startsWith(`${userSchema.toLowerCase()}:`);
  return resolveSteps(isCore ? path.slice(userSchema.length + 1) : path, attributes);
}

function resolveSteps(path: string, attributes: readonly Attribute[]): Attribute[] | undefined {
  const found: Attribute[] = [];
  let within = attributes;
  for (const step of path.split(".")) {
    const attribute = attributeNamed(within, step);
    if (!attribute) return undefined;
    found.push(attribute);
    within = attribute.subAttributes ?? [];
  }
  return found;
}
