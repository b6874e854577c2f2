/** CSAF documents to import. */
import { expect } from "vitest";
import { newTenant } from "../callers.ts";
import { listAdvisories } from "../osv/osv_imports.ts";
import { type Json, loadCsaf } from "./vex_imports.ts";

/** Imports documents for a new tenant. Returns its advisories by the name of the component. */
export async function loaded(...documents: Json[]) {
  const { group, token } = await newTenant();
  const answer = await loadCsaf(token, group, ...documents);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const { all } = await listAdvisories(token);
  return all.toSorted((a, b) => (String(a.componentName) < String(b.componentName) ? -1 : 1));
}

/** A product, and its purl or another identifier. */
export const csafProduct = (id: string, helper: Json | string, name = `Product ${id}`): Json => ({
  product_id: id,
  name,
  product_identification_helper: typeof helper === "string" ? { purl: helper } : helper,
});

/**
 * A product tree as vendors write it: a platform, a package with two shipped versions, and a library in the
 * package.
 */
export const productTree: Json = {
  branches: [
    {
      category: "vendor",
      name: "Acme",
      branches: [
        {
          category: "product_name",
          name: "Acme Linux",
          branches: [
            {
              category: "product_version",
              name: "9",
              product: csafProduct("OS", { cpe: "cpe:/o:acme:linux:9" }, "Acme Linux 9"),
            },
          ],
        },
        {
          category: "architecture",
          name: "x86_64",
          branches: [
            {
              category: "product_version",
              name: "anvil-2.4",
              product: csafProduct("OLD", "pkg:rpm/acme/anvil@2.4-1?arch=x86_64"),
            },
            {
              category: "product_version",
              name: "anvil-2.5",
              product: csafProduct("NEW", "pkg:rpm/acme/anvil@2.5-1?arch=x86_64"),
            },
          ],
        },
      ],
    },
  ],
  full_product_names: [csafProduct("LIB", "pkg:maven/org.acme/hammer@1.0")],
  relationships: [
    // The inner one stands last: ids count, and not the order.
    {
      category: "default_component_of",
      full_product_name: { product_id: "OS:OLD:LIB", name: "hammer in anvil in Acme Linux" },
      product_reference: "LIB",
      relates_to_product_reference: "OS:OLD",
    },
    ...["OLD", "NEW"].map((id) => ({
      category: "default_component_of",
      full_product_name: { product_id: `OS:${id}`, name: `${id} of Acme Linux` },
      product_reference: id,
      relates_to_product_reference: "OS",
    })),
  ],
  product_groups: [{ group_id: "G", product_ids: ["OS:OLD", "LIB"] }],
};

/** A VEX document about these vulnerabilities. */
export const csafDocument = (
  vulnerabilities: Json[],
  { document = {}, product_tree = productTree }: { document?: Json; product_tree?: Json } = {},
): Json => ({
  document: {
    category: "csaf_vex",
    csaf_version: "2.0",
    title: "Anvils",
    publisher: { category: "vendor", name: "Acme PSIRT", namespace: "https://psirt.acme.example" },
    references: [{ category: "self", summary: "This", url: "https://psirt.acme.example/1" }],
    tracking: {
      id: "ACME-1",
      version: "1",
      status: "final",
      initial_release_date: "2024-05-01T10:00:00Z",
      current_release_date: "2024-05-01T10:00:00Z",
      revision_history: [{ date: "2024-05-01T10:00:00Z", number: "1", summary: "First" }],
    },
    ...document,
  },
  product_tree,
  vulnerabilities,
});

/** A vulnerability that is under investigation in one product. */
export const csafVulnerability = (change: Json = {}): Json => ({
  cve: "CVE-2024-3001",
  product_status: { under_investigation: ["OS:OLD"] },
  ...change,
});
