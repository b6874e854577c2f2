/** The files that the tests' Workers and their database are built from, relative to the project. */
export const workerFiles = [
  "src/**",
  "schema/{gen,tables,validation}/**",
  "migrations/**",
  "wrangler.toml",
  "test/world/sql.{ts,toml}",
];
