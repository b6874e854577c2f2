/** Colors code on the guide pages: the build gives each word a class. */
import { escapeHtml } from "./html.ts";

/**
 * The words to color, by their class. The first pattern that matches wins. The values are sources of
 * patterns.
 */
type Grammar = Record<string, string>;

const text = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const number = String.raw`\b\d[\d_.]*\b`;

const shell: Grammar = {
  comment: String.raw`(?<=^|\s)#.*`,
  variable: String.raw`\$\w+|\$\{[^}]*\}`,
  text,
  word: String.raw`(?<=^|[|;&(]\s*)(?:sudo\s+)?[a-z][\w.-]*(?=\s|$)`,
  option: String.raw`(?<=\s)--?[A-Za-z][\w-]*`,
};

const json: Grammar = {
  name: String.raw`"(?:[^"\\]|\\.)*"(?=\s*:)`,
  text: String.raw`"(?:[^"\\]|\\.)*"`,
  word: String.raw`\b(?:true|false|null)\b`,
  number,
};

const script: Grammar = {
  comment: String.raw`//.*|/\*[\s\S]*?\*/`,
  text: `${text}|\`[^\`]*\``,
  word: String.raw`\b(?:async|await|break|case|catch|class|const|continue|default|else|export|extends|finally|for|from|function|if|import|in|instanceof|let|new|null|of|return|switch|throw|true|false|try|type|typeof|undefined|while)\b`,
  number,
};

const proto: Grammar = {
  comment: "//.*",
  text,
  word: String.raw`\b(?:syntax|package|import|option|message|enum|oneof|repeated|optional|map|service|rpc|returns|stream|true|false)\b`,
  number,
};

const toml: Grammar = { comment: "#.*", text, name: String.raw`^[\w.-]+(?=\s*=)|^\[.*\]`, number };

const yaml: Grammar = {
  comment: String.raw`(?<=^|\s)#.*`,
  name: String.raw`[\w.-]+(?=:(?:\s|$))`,
  text,
};

const http: Grammar = {
  word: String.raw`^(?:GET|POST|PUT|PATCH|DELETE|HTTP/[\d.]+)\b`,
  name: String.raw`^[\w-]+(?=:)`,
};

const python: Grammar = {
  comment: "#.*",
  text,
  word: String.raw`\b(?:as|async|await|class|def|elif|else|except|for|from|if|import|in|not|return|try|while|with|None|True|False)\b`,
  number,
};

const go: Grammar = {
  comment: "//.*",
  text: `${text}|\`[^\`]*\``,
  word: String.raw`\b(?:chan|const|defer|else|for|func|go|if|import|nil|package|range|return|struct|type|var)\b`,
  number,
};

const grammars: Record<string, Grammar> = {
  bash: shell,
  sh: shell,
  shell,
  console: shell,
  json,
  jsonc: json,
  http,
  proto,
  protobuf: proto,
  toml,
  yaml,
  python,
  go,
  ts: script,
  typescript: script,
  js: script,
  javascript: script,
};

/** Code as HTML. An unknown language has no colors. */
export function highlightCode(code: string, language: string): string {
  const grammar = grammars[language];
  if (!grammar) return escapeHtml(code);
  const parts = Object.entries(grammar).map(([name, source]) => `(?<${name}>${source})`);
  let html = "";
  let end = 0;
  for (const match of code.matchAll(new RegExp(parts.join("|"), "gm"))) {
    const [name] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    html += escapeHtml(code.slice(end, match.index));
    html += `<span class="code-${name}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
