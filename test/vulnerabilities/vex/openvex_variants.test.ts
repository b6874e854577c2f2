/** OpenVEX documents as tools write them, and not only as the newest schema has it. */
import { describe, expect, test } from "vitest";
import { newTenant } from "../callers.ts";
import { listAdvisories } from "../osv/osv_imports.ts";
import {
  countsOf,
  everyUid,
  loadOpenVex,
  onlyOf,
  openVexOf,
  readAdvisory,
  statementOf,
} from "./vex_imports.ts";

describe("a document is read that has", () => {
  const product = { "@id": "pkg:pypi/box@1.0" };
  const old = { vulnerability: "CVE-2024-1001", products: ["pkg:pypi/box@1.0"], status: "fixed" };
  const variants: [string, object][] = [
    ["an @id as a merge of documents writes it", { "@id": "merged-vex-1f0c6f0e0c3a" }],
    ["an @id with other letters", { "@id": "https://acme.example/vex/größe" }],
    ["an @id with a space", { "@id": "vex 1" }],
    ["the version as digits", { version: "1" }],
    ["a context with a slash at its end", { "@context": "https://openvex.dev/ns/" }],
    ["the context without a version", { "@context": "https://openvex.dev/ns" }],
    ["a later version of the schema", { "@context": "https://openvex.dev/ns/v0.2.1" }],
    [
      "texts for vulnerability and products",
      { "@context": "https://openvex.dev/ns/v0.0.1", statements: [old] },
    ],
    [
      "an action with fixed",
      {
        statements: [statementOf({ products: [product], status: "fixed", action_statement: "a" })],
      },
    ],
  ];
  test.each(variants)("%s", async (_, change) => {
    const { group, token } = await newTenant();
    const answer = await loadOpenVex(token, group, openVexOf([statementOf()], change as never));
    expect(countsOf(answer), JSON.stringify(answer.body)).toEqual([1, 0, 0]);
    expect((await listAdvisories(token)).all).toMatchObject([
      { artifactName: "box", aliases: ["CVE-2024-1001"] },
    ]);
  });

  test.each(["https://acme.example/produkt/größe", "acme box 7"])(
    "the product %s comes back unchanged",
    async (id) => {
      const { group, token } = await newTenant();
      const one = statementOf({ products: [{ "@id": id }], status: "fixed" });
      await loadOpenVex(token, group, openVexOf([one]));
      const [uid = ""] = await everyUid(token);
      const { body } = await readAdvisory(token, uid, "?format=openvex");
      expect(onlyOf(body).products).toEqual([{ "@id": id }]);
    },
  );

  test("one list of parts for all products, as before version 0.2", async () => {
    const { group, token } = await newTenant();
    const one = { ...old, subcomponents: ["pkg:npm/lid@2"] };
    await loadOpenVex(token, group, openVexOf([one]));
    expect((await listAdvisories(token)).all).toMatchObject([
      { artifactName: "box", componentName: "lid" },
    ]);
  });

  test("a range in a package URL does not give the product a version", async () => {
    const { group, token } = await newTenant();
    const id = "pkg:pypi/box?vers=vers:pypi%2F%3E%3D1.0%7C%3C2.0";
    const one = statementOf({ products: [{ "@id": id }], status: "fixed" });
    await loadOpenVex(token, group, openVexOf([one]));
    expect((await listAdvisories(token)).all[0]?.events).toMatchObject([{ fixed: {} }]);
    const [uid = ""] = await everyUid(token);
    const { body } = await readAdvisory(token, uid, "?format=csaf");
    expect(body.product_tree).toMatchObject({
      branches: [
        { branches: [{ category: "product_version_range", name: "vers:pypi/>=1.0|<2.0" }] },
      ],
    });
  });
});
