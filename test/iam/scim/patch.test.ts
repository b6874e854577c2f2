import { beforeEach, describe, expect, test } from "vitest";
import { type Client, enterpriseSchema, newClient, patchSchema } from "./client.ts";

let client: Client;
let id: string;
const before = {
  userName: "u",
  title: "Boss",
  name: { familyName: "Jensen", givenName: "Babs" },
  emails: [
    { value: "w@x.example", type: "work", primary: true },
    { value: "h@x.example", type: "home" },
  ],
};
beforeEach(async () => {
  client = await newClient();
  ({ id } = await client.create(before));
});

const apply = async (...operations: object[]) => {
  const { status, body } = await client.patch(id, ...operations);
  expect([status, JSON.stringify(body)]).toEqual([200, expect.any(String)]);
  return body;
};
const [work, home] = before.emails;

describe("PATCH", () => {
  const cases: [string, object, object][] = [
    ["add to a simple attribute", { op: "add", path: "nickName", value: "B" }, { nickName: "B" }],
    ["replace of a simple attribute", { op: "replace", path: "title", value: "T" }, { title: "T" }],
    ["remove of a simple attribute", { op: "remove", path: "title" }, { title: undefined }],
    [
      "replace of a sub-attribute",
      { op: "replace", path: "name.givenName", value: "B" },
      { name: { familyName: "Jensen", givenName: "B" } },
    ],
    [
      "replace of a complex attribute, which keeps the members that are not given",
      { op: "replace", path: "name", value: { givenName: "B" } },
      { name: { familyName: "Jensen", givenName: "B" } },
    ],
    ["remove of a complex attribute", { op: "remove", path: "name" }, { name: undefined }],
    [
      "add to a list",
      { op: "add", path: "emails", value: [{ value: "o@x.example", type: "other" }] },
      { emails: [work, home, { value: "o@x.example", type: "other" }] },
    ],
    ["add of a value that a list has already", { op: "add", path: "emails", value: home }, before],
    [
      "add of a value that a list has already, with less about it, and in other letters",
      { op: "add", path: "emails", value: [{ value: "W@X.example", type: "Work" }] },
      { emails: [{ ...work, value: "W@X.example", type: "Work" }, home] },
    ],
    [
      "add of a value that a list has already, with more about it",
      { op: "add", path: "emails", value: [{ value: "h@x.example", display: "Home" }] },
      { emails: [work, { ...home, display: "Home" }] },
    ],
    [
      "add of the same value of another type",
      { op: "add", path: "emails", value: [{ value: "h@x.example", type: "other" }] },
      { emails: [work, home, { value: "h@x.example", type: "other" }] },
    ],
    [
      "add that makes a value primary, and says more about the one that was",
      {
        op: "add",
        path: "emails",
        value: [
          { value: "w@x.example", display: "Work" },
          { value: "h@x.example", primary: true },
        ],
      },
      {
        emails: [
          { ...work, display: "Work", primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    [
      "replace that makes a value primary, and the old one is no longer primary",
      { op: "replace", path: 'emails[type eq "home"].primary', value: "True" },
      {
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    [
      "a text for a value of a list",
      { op: "add", path: "emails", value: ["n@x.example"] },
      { emails: [work, home, { value: "n@x.example" }] },
    ],
    [
      "a list with one manager",
      {
        op: "Add",
        path: `${enterpriseSchema}:manager`,
        value: [{ $ref: "../Users/1", value: "26118915" }],
      },
      { [enterpriseSchema]: { manager: { $ref: "../Users/1", value: "26118915" } } },
    ],
    [
      "a text for the manager",
      { op: "replace", value: { [`${enterpriseSchema}:manager`]: "26118915" } },
      { [enterpriseSchema]: { manager: { value: "26118915" } } },
    ],
    [
      "keys with filters, as Microsoft Entra sends them, and makes the values that are not there",
      {
        op: "replace",
        value: {
          'emails[type eq "work"].value': "new@x.example",
          "name.familyName": "B",
          'phoneNumbers[type eq "mobile"].value': "+490000",
          'addresses[type eq "work"].country': "DE",
          favouriteColour: "green",
        },
      },
      {
        emails: [{ ...work, value: "new@x.example" }, home],
        name: { familyName: "B", givenName: "Babs" },
        phoneNumbers: [{ type: "mobile", value: "+490000" }],
        addresses: [{ type: "work", country: "DE" }],
      },
    ],
    ["a path of an unknown attribute", { op: "replace", path: "shoeSize", value: 1 }, before],
    ["a path of an unknown sub-attribute", { op: "add", path: "name.shoe", value: 1 }, before],
    [
      "a path of an unknown schema",
      { op: "add", path: 'urn:acme:scim:2.0:User:badges[kind eq "a"].number', value: 1 },
      before,
    ],
    [
      "add of a new primary value, and the old one is no longer primary",
      { op: "add", path: "emails", value: [{ value: "o", primary: true }] },
      { emails: [{ ...work, primary: false }, home, { value: "o", primary: true }] },
    ],
    [
      "replace of a list",
      { op: "replace", path: "emails", value: [{ value: "o" }] },
      { emails: [{ value: "o" }] },
    ],
    ["remove of a list", { op: "remove", path: "emails" }, { emails: undefined }],
    [
      "remove of one value by filter",
      { op: "remove", path: 'emails[type eq "work"]' },
      { emails: [home] },
    ],
    [
      "remove of one value by an equal value",
      { op: "remove", path: "emails", value: [{ value: "h@x.example" }] },
      { emails: [work] },
    ],
    [
      "remove of a sub-attribute by filter",
      { op: "remove", path: 'emails[type eq "work"].primary' },
      { emails: [{ value: "w@x.example", type: "work" }, home] },
    ],
    [
      "replace of a sub-attribute by filter",
      { op: "replace", path: 'emails[TYPE eq "WORK" and primary eq true].value', value: "n" },
      { emails: [{ ...work, value: "n" }, home] },
    ],
    [
      "replace of a value by filter",
      { op: "replace", path: 'emails[not (type eq "work")]', value: { value: "n" } },
      { emails: [work, { value: "n", type: "home" }] },
    ],
    [
      "add by a filter that no value fulfils, which makes the value",
      { op: "Add", path: 'emails[type eq "other"].value', value: "n" },
      { emails: [work, home, { type: "other", value: "n" }] },
    ],
    [
      "replace of a sub-attribute of all values",
      { op: "replace", path: "emails.display", value: "d" },
      { emails: before.emails.map((one) => ({ ...one, display: "d" })) },
    ],
    [
      "add to the extension by its URN",
      { op: "add", path: `${enterpriseSchema}:department`, value: "Tours" },
      { [enterpriseSchema]: { department: "Tours" } },
    ],
    [
      "add to the extension's manager",
      { op: "add", path: `${enterpriseSchema}:manager.value`, value: "m" },
      { [enterpriseSchema]: { manager: { value: "m" } } },
    ],
    [
      "an object without a path",
      { op: "replace", value: { title: "T", active: false, name: { givenName: "B" } } },
      { title: "T", active: false, name: { familyName: "Jensen", givenName: "B" } },
    ],
    [
      "an object without a path whose keys are paths, as Microsoft Entra sends it",
      {
        op: "Replace",
        value: {
          "name.givenName": "B",
          [`${enterpriseSchema}:department`]: "Tours",
          active: "False",
          unknown: 1,
          id: "x",
        },
      },
      {
        name: { familyName: "Jensen", givenName: "B" },
        [enterpriseSchema]: { department: "Tours" },
        active: false,
      },
    ],
    [
      "the whole extension without a path",
      { op: "add", value: { [enterpriseSchema]: { costCenter: "c" } } },
      { [enterpriseSchema]: { costCenter: "c" } },
    ],
    ["a boolean as text", { op: "REPLACE", path: "active", value: "false" }, { active: false }],
    ["null, which removes", { op: "replace", path: "title", value: null }, { title: undefined }],
    [
      "names of any case, and the schema's URN before one",
      { OP: "replace", Path: "urn:ietf:params:scim:schemas:core:2.0:User:TITLE", Value: "T" },
      { title: "T" },
    ],
  ];
  test.each(cases)("PATCH applies %s", async (_, operation, after) => {
    const body = await apply(operation);
    const { schemas, meta, ...user } = body;
    const expected = { id, active: true, ...before, ...after };
    expect(user).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(schemas.includes(enterpriseSchema)).toBe(enterpriseSchema in user);
    expect((await client.ask("GET", `/Users/${id}`)).body).toEqual(body);
    expect(meta.resourceType).toBe("User");
  });

  test("applies its operations in order, and all of them or none", async () => {
    const body = await apply(
      { op: "remove", path: "emails" },
      { op: "add", path: "emails", value: { value: "n" } },
    );
    expect(body.emails).toEqual([{ value: "n" }]);
    const refused = await client.patch(
      id,
      { op: "replace", path: "title", value: "lost" },
      { op: "replace", path: 'emails[type eq "none"].value', value: "x" },
    );
    expect(refused.status).toBe(400);
    expect((await client.ask("GET", `/Users/${id}`)).body).toEqual(body);
  });

  test.each([
    ["an unknown operation", { op: "move", path: "title" }, "invalidSyntax"],
    ["a path that is not text", { op: "replace", path: 1, value: 1 }, "invalidPath"],
    ["a path with more behind it", { op: "replace", path: "title x", value: 1 }, "invalidPath"],
    ["a broken filter", { op: "remove", path: "emails[type eq]" }, "invalidFilter"],
    [
      "a filter on a single value",
      { op: "remove", path: 'name[givenName eq "x"]' },
      "invalidFilter",
    ],
    ["a filter left open", { op: "remove", path: 'emails[type eq "x"' }, "invalidFilter"],
    [
      "replace where no value is so",
      { op: "replace", path: 'emails[type eq "none"].value', value: "x" },
      "noTarget",
    ],
    [
      "a key with a broken filter",
      { op: "replace", value: { "emails[type eq].value": "x" } },
      "invalidFilter",
    ],
    ["remove without a path", { op: "remove" }, "noTarget"],
    ["add without a value", { op: "add", path: "title" }, "invalidValue"],
    ["a value of another kind", { op: "replace", path: "title", value: { a: 1 } }, "invalidValue"],
    ["text without a path", { op: "replace", value: "x" }, "invalidValue"],
    ["the id", { op: "replace", path: "id", value: "x" }, "mutability"],
    ["the time of creation", { op: "replace", path: "meta.created", value: "x" }, "mutability"],
    [
      "a manager's name, which is not the client's",
      { op: "replace", path: `${enterpriseSchema}:manager.displayName`, value: "x" },
      "mutability",
    ],
    ["the removal of userName", { op: "remove", path: "userName" }, "invalidValue"],
    ["two primary values", { op: "replace", path: "emails.primary", value: true }, "invalidValue"],
  ])("PATCH refuses %s", async (_, operation, scimType) => {
    const { status, body } = await client.patch(id, operation);
    expect([status, body.scimType]).toEqual([400, scimType]);
  });

  test.each([
    ["no schemas", { Operations: [{ op: "remove", path: "title" }] }],
    ["no operations", { schemas: [patchSchema] }],
    ["an empty list of operations", { schemas: [patchSchema], Operations: [] }],
    ["no object", []],
  ])("rejects a body with %s", async (_, body) => {
    const refused = await client.ask("PATCH", `/Users/${id}`, body);
    expect([refused.status, refused.body.scimType]).toEqual([400, "invalidSyntax"]);
  });

  test("never activates a user by removing active", async () => {
    await apply({ op: "replace", path: "active", value: false });
    expect((await apply({ op: "remove", path: "active" })).active).toBe(false);
    expect((await apply({ op: "replace", path: "active", value: null })).active).toBe(false);
  });
});
