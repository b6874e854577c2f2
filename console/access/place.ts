/** Where someone has a role: a group or a repository. */
export interface AccessPlace {
  uid: string;
  name: string;
  kind: "group" | "repository";
}
