/** The part of npm jq-web that the command line uses. The package has no types. */
declare module "jq-web" {
  /** jq as WebAssembly. */
  export interface JqEngine {
    /**
     * Runs jq with a JSON text as its input, and returns what it prints, without the last line end. Throws an error
     * with `exitCode` and `stderr` if jq fails.
     */
    raw(json: string, expression: string, flags: string[]): string | undefined;
  }
  const engine: Promise<JqEngine>;
  export default engine;
}
