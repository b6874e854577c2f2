/** The organization or the group that a person was in last. Signing out forgets it. */

const key = "console.place";

/** The uid of the last page of this tab that belongs to a group. A page such as that of a person does not change it. */
let inTab = "";

export const lastPlace = {
  /** The uids, the nearest first. They can be those of another person, or of groups that are gone. */
  read: (): string[] => [inTab, localStorage.getItem(key) ?? ""].filter(Boolean),
  /** Keeps it until the page is left. */
  visit(uid: string): void {
    inTab = uid;
  },
  /** Keeps it in the browser, for the next visit. */
  keep: (uid: string): void => localStorage.setItem(key, uid),
  forget(): void {
    inTab = "";
    localStorage.removeItem(key);
  },
};
