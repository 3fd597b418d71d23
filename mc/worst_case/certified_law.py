class CertifiedLaw: pass
