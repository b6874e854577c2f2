/** An OpenVEX document that says one product is not affected. */
export const openVexDocument = (vulnerability: string) => ({
  "@context": "https://openvex.dev/ns/v0.2.0",
  "@id": "https://sample.example/vex",
  author: "Sample",
  timestamp: "2026-01-01T00:00:00Z",
  version: 1,
  statements: [
    {
      vulnerability: { name: vulnerability },
      products: [{ "@id": "pkg:pypi/sample@1.0" }],
      status: "not_affected",
      justification: "component_not_present",
    },
  ],
});

/** A CSAF document that says the same. */
export const csafDocument = (cve: string) => ({
  document: {
    category: "csaf_vex",
    csaf_version: "2.0",
    publisher: { category: "vendor", name: "Sample", namespace: "https://sample.example" },
    title: "Sample",
    tracking: {
      id: "SAMPLE-1",
      version: "1",
      status: "final",
      initial_release_date: "2026-01-01T00:00:00Z",
      current_release_date: "2026-01-01T00:00:00Z",
      revision_history: [{ date: "2026-01-01T00:00:00Z", number: "1", summary: "First" }],
    },
  },
  product_tree: {
    full_product_names: [
      {
        product_id: "P1",
        name: "Sample 1.0",
        product_identification_helper: { purl: "pkg:pypi/sample@1.0" },
      },
    ],
  },
  vulnerabilities: [
    {
      cve,
      product_status: { known_not_affected: ["P1"] },
      flags: [{ label: "component_not_present", product_ids: ["P1"] }],
    },
  ],
});
