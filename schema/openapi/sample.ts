/** Sample values for the examples. They do not belong to a real organization. */
export const sample = {
  organization: "45a0c61ea6fd977f050c5fb9ac06a69eed764595",
  repo: "45a0c61ea6fd977f050c5fb9ac06a69eed764595/9d4c2b7a1e3f5068",
  missing: "45a0c61ea6fd977f050c5fb9ac06a69eed764595/0123456789abcdef",
  requestId: "5c1f0e8a-2b7d-4d19-9a36-7e4c8b21f0d3",
  decisionId: "q1mJ8Zt0Hn2c4vE6xKpR3w",
  digest: `sha256:${"8e88a6dd535a3cea47f97cac549726b7be5dfcab064a5f860c014022a609b46a"}`,
};
