const editionFactors: Readonly<Record<string, number>> = { Free: 0.2, Standard: 1, Enterprise: 10 };

/** By what a tenant's rate limits are multiplied; 1 for a token without a known edition. */
export const editionFactor = (editionCode: string | undefined): number => editionFactors[editionCode ?? ""] ?? 1;
