/** Turns the comments of RPCs, which say what a call does, into the texts of commands, which say what to do. */

/** The verbs that the comment of an RPC may begin with, in the imperative. */
const verbs = [
  "Accept",
  "Add",
  "Approve",
  "Ask",
  "Bind",
  "Cancel",
  "Carry",
  "Change",
  "Check",
  "Compare",
  "Count",
  "Create",
  "Delete",
  "Disable",
  "Enable",
  "End",
  "Explain",
  "Export",
  "Find",
  "Generate",
  "Get",
  "Grant",
  "Import",
  "Issue",
  "Join",
  "Link",
  "List",
  "Look",
  "Map",
  "Move",
  "Read",
  "Record",
  "Regenerate",
  "Register",
  "Remove",
  "Replace",
  "Report",
  "Request",
  "Restore",
  "Return",
  "Revoke",
  "Rotate",
  "Send",
  "Set",
  "Show",
  "Store",
  "Subscribe",
  "Switch",
  "Test",
  "Turn",
  "Undo",
  "Unlink",
  "Update",
  "Withdraw",
  "Write",
];

/** `Lists` for List, `Applies` for Apply, `Switches` for Switch, `Undoes` for Undo. */
const thirdPerson = (verb: string) =>
  `${verb.replace(/([^aeiou])y$/, "$1ie").replace(/(?:s|x|ch|sh|o)$/, "$&e")}s`;

const imperatives = new Map(verbs.map((verb) => [thirdPerson(verb).toLowerCase(), verb]));

/**
 * Returns the comment of an RPC with its first verb in the imperative: "Lists the tags" becomes "List the tags". A verb
 * that follows in the same sentence changes, too. An adverb such as "Permanently" may come first. Throws an Error unless
 * the comment begins with one of the verbs above.
 */
export function toImperative(comment: string, rpc: string): string {
  const [start, adverb = "", first = ""] = /^([A-Z][a-z]+ly )?([A-Za-z]+)/.exec(comment) ?? [""];
  const verb = imperatives.get(first.toLowerCase());
  if (verb === undefined) {
    throw new Error(
      `The comment of ${rpc} must begin with a verb of schema/describe/imperative.ts, such as "Lists": ${comment}`,
    );
  }
  const rest = comment.slice(start.length);
  const end = /[.!?](?=\s|$)/.exec(rest)?.index ?? rest.length;
  const opening = adverb === "" ? verb : `${adverb}${verb.toLowerCase()}`;
  return `${opening}${withLaterVerbs(rest.slice(0, end))}${rest.slice(end)}`;
}

/** A word after one of these is an object, so the word before it is a verb and not a noun such as "updates". */
const objects = "(?:a|an|all|any|each|every|it|its|no|one|only|that|the|them|those|your)";
const later = new RegExp(`((?:\\b(?:and|or)|[,:;]) )([a-z]+)(?= ${objects}\\b)`, "g");

const withLaterVerbs = (text: string) =>
  text.replace(later, (_, before: string, word: string) => {
    return `${before}${imperatives.get(word)?.toLowerCase() ?? word}`;
  });
