/** How long an invited account counts as one person with those who invited it. */
export const newAccountDays = 30;
