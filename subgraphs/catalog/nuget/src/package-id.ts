const packageIdForm = /^\w+([.-]\w+)*$/;
const maxLength = 100;

/** Whether the text is a NuGet package ID: at most 100 letters, digits and underscores in parts joined by dots or dashes. */
export function isPackageId(text: string): boolean {
  return text.length <= maxLength && packageIdForm.test(text);
}
