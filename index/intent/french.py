"""French words of a question -> the English words that code is written in.

The embedded model has read English names and comments. "comment fonctionne la connexion" is near `login` only if the question says so;
names in the question stay as they are. Only words of programming that differ from the English ones are here: adding one is adding a row.
"""

from __future__ import annotations

import re
import unicodedata

_ROWS = """
abonnement subscription | acces access | acheter buy purchase | adresse address | affichage display render
afficher show display render | ajout add | ajouter add append | analyse parse analysis | analyser parse analyse
annuler cancel undo | appel call | appelant caller | appeler call | appliquer apply | arbre tree | arrondi round rounded
arrondir round | attendre wait | attente wait queue | attribut attribute | authentification authentication login
autorisation authorization permission | base database | bogue bug | boucle loop | bouton button | calcul compute calculation
calculer compute calculate | chaine string chain | champ field | chargement load loading | charger load | chemin path
chercher search find | chiffrement encryption | chiffrer encrypt | cle key | client customer | commande command order
comparer compare | compte account | compter count | compteur counter | configuration settings | connecter connect login
connexion connection login | conserver keep store | construire build construct | contenu content | contrainte constraint
convertir convert | copier copy | couleur color | courriel email mail | creation create | creer create | debut start begin
decodage decode | decouper split | defaut default | delai delay timeout | demande request | demarrage start startup | demarrer start
dependance dependency | deplacer move | dernier last latest | desactiver disable | detruire destroy delete | deverrouiller unlock
donnee data | donnees data | dossier folder directory | droit permission right | echec failure fail | echouer fail | ecran screen
ecrire write | ecriture write | effacer clear delete erase | element item | empreinte hash fingerprint | encodage encode encoding
enregistrement record save | enregistrer save store record | ensemble set | entete header | entree input entry | envoi send
envoyer send | erreur error exception | espace space | essai attempt try test | essayer try | etape step stage | etat state status
etiquette label tag | evenement event | executer run execute | execution run | expiration expiry | expirer expire | exporter export
facture invoice | fenetre window | fermer close | fermeture close | feuille sheet leaf | fichier file | fil thread | file queue
filtrer filter | fin end | fonction function | formulaire form | fusion merge | fusionner merge | gabarit template
gerer handle manage | gestion handling management | graphe graph | groupe group | heritage inheritance | heriter inherit
heure time hour | horloge clock | identifiant identifier id | impression print | imprimer print | inscription registration signup
inscrire register sign up | installer install | interdire forbid deny | jeton token | joindre join attach | jour day | journal log
journalisation logging | langue language | lecture read reading | lien link | ligne line row | limite limit | lire read | liste list
lister list | livraison delivery | longueur length | memoire memory | mesurer measure | minuteur timer | mise update
modele model template | modifier modify change update | montant amount | mot word | moteur engine | moyenne average mean
noeud node | nom name | nombre number count | numero number | objet object | ordre order | outil tool | ouverture open | ouvrir open
paiement payment | panier cart basket | paquet package packet | parametre parameter setting | parcourir walk traverse iterate
partager share | passe password | payer pay | pile stack | poids weight | prix price | processus process | profil profile
projet project | propriete property | protocole protocol | racine root | rafraichir refresh | recevoir receive
recherche search lookup | rechercher search | recuperer fetch retrieve get | redirection redirect | reessai retry | reessayer retry
regle rule | remboursement refund | remplacer replace | renommer rename | repertoire directory | reponse response reply answer
requete request query | reseau network | resoudre resolve | resultat result | retirer remove withdraw | retour return
retourner return | sauvegarde save backup | sauvegarder save backup | securite security | serveur server | seuil threshold | signer sign
somme sum total | sortie output exit | souris mouse | stockage storage | stocker store | suivi tracking | suivre follow track
suppression deletion removal | supprimer delete remove | surveiller watch monitor | systeme system | tableau array table
tache task job | taille size | tampon buffer | taux rate | taxe tax | telechargement download | telecharger download | temps time
traduction translation | traduire translate | traitement processing | traiter process handle | tri sort | trier sort | trouver find
utilisateur user | valeur value | valider validate | vente sale | verification check | verifier check verify | verrou lock
verrouiller lock | vider clear empty flush | virgule comma | vue view
"""

ENGLISH: dict[str, tuple[str, ...]] = {
    french: tuple(english) for row in _ROWS.replace("\n", "|").split("|") if row.strip() for french, *english in (row.split(),)
}

_WORD = re.compile(r"[^\W\d_]+")
_FRENCH = re.compile(
    r"\b(?:le|la|les|un|une|des|du|est|sont|ou|qui|que|quoi|comment|pourquoi|dans|avec|pour|sur|quel(?:le)?s?|explique[rz]?|fonctionnent?)\b"
)


def with_english(question: str) -> str:
    """A question -> the same, followed by the English of its French words; unchanged where it does not read like French."""
    english = english_of(question)
    return f"{question} {english}" if english else question


def english_of(question: str) -> str:
    """The English of the French words of a question, "" where it does not read like French."""
    plain = unicodedata.normalize("NFD", question.lower())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    if not _FRENCH.search(plain):
        return ""
    found = [english for word in _WORD.findall(plain) for english in _english(word)]
    return " ".join(dict.fromkeys(found))


def _english(word: str) -> tuple[str, ...]:
    """Of a word, its singular, or the infinitive of a participle (arrondis, arrondie: arrondi)."""
    for form in (word, word.removesuffix("s"), word.removesuffix("x"), word.removesuffix("es"), word.removesuffix("e")):
        if form in ENGLISH:
            return ENGLISH[form]
    if word[-1:] in "es":  # creee, appelees: appeler
        return ENGLISH.get(re.sub(r"(?:ee?s?|ent)$", "er", word), ())
    return ENGLISH.get(re.sub(r"(?:e|ent)$", "er", word), ())
