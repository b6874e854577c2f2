const patterns = [
  // import … from, export … from, over several lines as well
  /(?:^|[;}\n])[ \t]*(?:import|export)\s+[\w$*{}\s,]*?\bfrom\s*["']([^"'\n]+)["']/g,
  /(?:^|[;}\n])[ \t]*import\s*["']([^"'\n]+)["']/g,
  /\b(?:import|require)\s*\(\s*["'`]([^"'`\n]+)["'`]/g,
];

/** The names of all modules that a module imports, including imports of types. */
export function importsOf(text: string): string[] {
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
}
