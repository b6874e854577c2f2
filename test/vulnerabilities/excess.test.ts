/** Loads that would cost far more than was sent. They are refused before that, for every caller. */
import { expect, test } from "vitest";
import { newTenant } from "./callers.ts";
import { loadOsv, plain } from "./osv/osv_imports.ts";
import { csafDocument, csafProduct, csafVulnerability } from "./vex/csaf_imports.ts";
import { loadCsaf, loadOpenVex, openVexOf, refusedFields, statementOf } from "./vex/vex_imports.ts";

test("notes on all products, repeated for each of very many products, are rejected", async () => {
  const { group, token } = await newTenant();
  const ids = Array.from({ length: 2000 }, (_, i) => `P${i}`);
  const tree = { full_product_names: ids.map((id) => csafProduct(id, `pkg:generic/p@${id}`, id)) };
  const remediations = Array.from({ length: 100 }, () => ({
    category: "workaround",
    details: "x".repeat(4000),
  }));
  const one = csafVulnerability({ product_status: { known_affected: ids }, remediations });
  const answer = await loadCsaf(token, group, csafDocument([one], { product_tree: tree }));
  expect(refusedFields(answer)).toContain("documents[0].vulnerabilities[0]");
});

test("more errors than a response lists, in OpenVEX and in OSV, are cut off", async () => {
  const { group, token } = await newTenant();
  const many = Array.from({ length: 200_000 }, () => 1);
  const document = openVexOf([statementOf({ products: many })]);
  expect(refusedFields(await loadOpenVex(token, group, document))).toHaveLength(1000);
  expect(refusedFields(await loadOsv(token, group, plain("A-1", { aliases: many })))).toHaveLength(
    1000,
  );
});
