import { beforeAll, describe, expect, test } from "vitest";
import { costOf, sql } from "../../world/platform.ts";
import { type Client, enterpriseSchema, newClient } from "./client.ts";

let client: Client;
beforeAll(async () => {
  client = await newClient();
  await client.create({
    userName: "Ada",
    externalId: "ext-A",
    name: { familyName: "Lovelace", givenName: "Ada" },
    emails: [
      { value: "ada@work.example", type: "work", primary: true },
      { value: "ada@home.example", type: "home" },
    ],
    title: "Countess",
    [enterpriseSchema]: { department: "Engines", manager: { value: "babbage" } },
  });
  await client.create({
    userName: "bob",
    externalId: "ext-B",
    name: { familyName: 'O"Neil (Jr)' },
    emails: [{ value: "bob@work.example", type: "work" }],
    active: false,
  });
  await client.create({ userName: "cy", title: "100%_sure" });
});

const find = (query: string) => client.ask("GET", `/Users?${query}`);
const filter = (text: string) => find(`filter=${encodeURIComponent(text)}`);
const namesOf = (resources: { userName: string }[] = []) => resources.map((one) => one.userName);

describe("a filter finds", () => {
  const all = ["Ada", "bob", "cy"];
  test.each<[string, string[]]>([
    ['userName eq "ADA"', ["Ada"]],
    ['USERNAME EQ "ada"', ["Ada"]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"', ["Ada"]],
    ['userName ne "ada"', ["bob", "cy"]],
    ['emails[type eq "work"].value eq "ADA@work.example"', ["Ada"]],
    ['emails[type eq "home"].value eq "ada@work.example"', []],
    ['emails[type eq "work"].primary eq "True" and active eq true', ["Ada"]],
    ['not (emails[type eq "home"].value pr)', ["bob", "cy"]],
    ['userName sw "A"', ["Ada"]],
    ['userName ew "OB"', ["bob"]],
    ['userName co "d"', ["Ada"]],
    ['userName gt "ada"', ["bob", "cy"]],
    ['userName le "bob"', ["Ada", "bob"]],
    ["userName pr", all],
    ['externalId eq "ext-A"', ["Ada"]],
    ['externalId eq "EXT-a"', []],
    ['externalId ne "ext-A"', ["bob", "cy"]],
    ["externalId pr", ["Ada", "bob"]],
    ["externalId eq null", ["cy"]],
    ["not (externalId pr)", ["cy"]],
    ["active eq true", ["Ada", "cy"]],
    ['active eq "False"', ["bob"]],
    ["active ne true", ["bob"]],
    ['name.familyName eq "lovelace"', ["Ada"]],
    ['name.familyName eq "O\\"Neil (Jr)"', ["bob"]],
    ['name.familyName co ")"', ["bob"]],
    ['name.givenName ne "Ada"', ["bob", "cy"]],
    ["name pr", ["Ada", "bob"]],
    ["title pr", ["Ada", "cy"]],
    ['title co "%_"', ["cy"]],
    ['title sw "100%"', ["cy"]],
    ['title ew ""', ["Ada", "cy"]],
    ['emails.value eq "ADA@home.example"', ["Ada"]],
    ['emails eq "bob@work.example"', ["bob"]],
    ['emails co "work.example"', ["Ada", "bob"]],
    ['emails.type ne "home"', ["bob", "cy"]],
    ["emails pr", ["Ada", "bob"]],
    ["emails.primary eq true", ["Ada"]],
    ["not (emails pr)", ["cy"]],
    ['emails[type eq "home" and value co "ada"]', ["Ada"]],
    ['emails[type eq "home" and value co "work"]', []],
    ['emails[not (type eq "work")]', ["Ada"]],
    ["emails[primary pr]", ["Ada"]],
    [`${enterpriseSchema}:department eq "engines"`, ["Ada"]],
    [`${enterpriseSchema}:manager.value eq "babbage"`, ["Ada"]],
    ['meta.created gt "2000-01-01T00:00:00Z"', all],
    ['meta.lastModified lt "2000-01-01T00:00:00Z"', []],
    ['meta.resourceType eq "User"', all],
    ['userName eq "ada" or userName eq "bob" and active eq true', ["Ada"]],
    ['(userName eq "ada" or userName eq "bob") and active eq false', ["bob"]],
    ['not (userName eq "ada" or userName eq "bob")', ["cy"]],
    ['not (userName eq "ada" and active eq true) and title pr', ["cy"]],
    ['title eq "x\' or 1=1 --"', []],
  ])("%s", async (text, expected) => {
    const { status, body } = await filter(text);
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(namesOf(body.Resources)).toEqual(expected);
    expect([body.totalResults, body.itemsPerPage]).toEqual([expected.length, expected.length]);
  });

  test("one by id, location and version", async () => {
    const [ada] = (await filter('userName eq "ada"')).body.Resources;
    for (const text of [
      `id eq "${ada.id}"`,
      `id sw "${ada.id.slice(0, 12)}"`,
      `meta.location eq "${ada.meta.location}"`,
      `meta.version eq ${JSON.stringify(ada.meta.version)} and userName sw "a"`,
    ]) {
      expect([text, namesOf((await filter(text)).body.Resources)]).toEqual([text, ["Ada"]]);
    }
  });
});

describe("a filter is refused", () => {
  test.each([
    ["with an unknown attribute", 'shoeSize eq "1"'],
    ["with an unknown operator", 'userName is "x"'],
    ["with nothing to compare with", "userName eq"],
    ["with an object to compare with", "userName eq {}"],
    ["with a bare word", "userName eq ada"],
    ["with a parenthesis left open", '(userName eq "x"'],
    ["with a parenthesis too many", 'userName eq "x")'],
    ["with text left open", 'userName eq "x'],
    ["with two operators", 'userName eq eq "x"'],
    ["with nothing behind and", 'userName eq "x" and'],
    ["with not and no parenthesis", 'not userName eq "x"'],
    ["with an order of booleans", "active gt true"],
    ["with a number for text", "userName eq 1"],
    ["with an invalid time", 'meta.created gt "yesterday"'],
    ["with a complex attribute", 'name eq "x"'],
    ["with the password", 'password eq "x"'],
    ["with a filter on one value", 'name[givenName eq "x"]'],
    ["with too many comparisons", Array(26).fill('title eq "x"').join(" or ")],
    ["with too deep a nesting", `${"(".repeat(30)}title pr${")".repeat(30)}`],
    ["that is too long", `title eq "${"x".repeat(5000)}"`],
  ])("%s", async (_, text) => {
    const { status, body } = await filter(text);
    expect([status, body.scimType]).toEqual([400, "invalidFilter"]);
  });

  test("never for the largest allowed filter", async () => {
    const text = Array(25).fill('meta.location ew "x"').join(" or ");
    expect((await filter(text)).status).toBe(200);
  });
});

describe("a page of users", () => {
  test("starts at startIndex and has the total", async () => {
    const pages = [];
    for (const startIndex of [1, 2, 3, 4]) {
      const { body } = await find(`startIndex=${startIndex}&count=1`);
      expect(body).toMatchObject({
        schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
        totalResults: 3,
        startIndex,
        itemsPerPage: startIndex < 4 ? 1 : 0,
      });
      pages.push(...namesOf(body.Resources));
    }
    expect(pages).toEqual(["Ada", "bob", "cy"]);
  });

  test.each([
    ["count=0", 0, 1],
    ["count=-5", 0, 1],
    ["startIndex=0", 3, 1],
    ["startIndex=-3&count=2", 2, 1],
    ["startIndex=99999999999999999999", 0, 2 ** 31],
    ["count=99999999999999999999", 3, 1],
  ])("%s has %i users from %i", async (query, users, startIndex) => {
    const { status, body } = await find(query);
    expect([status, body.itemsPerPage, body.startIndex, body.totalResults]).toEqual([
      200,
      users,
      startIndex,
      3,
    ]);
  });

  test.each(["count=x", "startIndex=1.5"])("the page parameter %s is rejected", async (query) => {
    expect((await find(query)).body.scimType).toBe("invalidValue");
  });

  test("has at most 200 users, and the total of the filter", async () => {
    const many = await newClient();
    await sql(
      `insert into scim_users (uid, user_name, user_name_key, external_id, attributes, create_time, update_time)
       select ? || '/' || printf('%016x', value), 'u' || value, 'u' || value, 'e' || value, json_object('title', value % 2), value, 1
       from json_each(?)`,
      many.idp,
      JSON.stringify(Array.from({ length: 450 }, (_, index) => index)),
    );
    const { body } = await many.ask("GET", "/Users?count=1000");
    expect([body.totalResults, body.itemsPerPage]).toEqual([450, 200]);
    expect((await many.ask("GET", "/Users")).body.itemsPerPage).toBe(100);
    const odd = await many.ask(
      "GET",
      `/Users?count=20&filter=${encodeURIComponent('userName ew "1"')}`,
    );
    expect([odd.body.totalResults, odd.body.itemsPerPage]).toEqual([45, 20]);
    for (const text of [
      'userName eq "u77"',
      'externalId eq "e77"',
      `id eq "${"0".repeat(14)}4d"`,
      `${'(active eq true or emails.value co "x") and '.repeat(12)}externalId eq "e77"`,
      'userName eq "u77" and not (emails.value co "x" or active eq false)',
    ]) {
      const found = await many.ask("GET", `/Users?filter=${encodeURIComponent(text)}`);
      expect(namesOf(found.body.Resources)).toEqual(["u77"]);
      expect([text, costOf(found).rowsRead < 15]).toEqual([text, true]);
    }
  });
});

test("a search in the body finds the same", async () => {
  const search = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
    filter: 'userName sw "b"',
    attributes: ["userName"],
    startIndex: 1,
    count: 10,
  };
  const { status, body } = await client.ask("POST", "/Users/.search", search);
  expect([status, namesOf(body.Resources), body.totalResults]).toEqual([200, ["bob"], 1]);
  expect(Object.keys(body.Resources[0]).sort()).toEqual(["id", "schemas", "userName"]);
  expect((await client.ask("POST", "/Users/.search", {})).body.scimType).toBe("invalidSyntax");
});
