/** The files that the tests' Workers and their database are made of, relative to the project. */
export const workerFiles = [
  "src/**",
  "schema/{gen,tables,validation}/**",
  "migrations/**",
  "wrangler.toml",
  "test/world/sql.{ts,toml}",
];
